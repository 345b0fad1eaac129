/** One class per situation, all with `code`, `message`, `details` and `status`. */

export interface Problem {
  status: number;
  code: string;
  message: string;
  /** The facts of the case: what the body holds beside the standard fields. */
  details?: Record<string, unknown>;
  /** Seconds, from `Retry-After`. */
  retryAfter?: number | undefined;
}

/** Every error this library throws, but for `AbortError` when you abort. */
export class SaysoError extends Error {
  /** The server's word for the situation, such as `stale_interrupt`; `network` when there was no answer. */
  readonly code: string;
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** Seconds to wait, where the server said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.message, options);
    this.name = new.target.name;
    this.code = problem.code;
    this.status = problem.status;
    this.details = problem.details ?? {};
    this.retryAfter = problem.retryAfter;
  }
}

/** No answer: offline, refused, cut off, or silent for too long. */
export class NetworkError extends SaysoError {
  constructor(message: string, options?: ErrorOptions) {
    super({ status: 0, code: "network", message }, options);
  }
}
/** The answer is not what this client understands. */
export class ProtocolError extends SaysoError {}
/** 401: no token, or not a valid one. */
export class AuthenticationError extends SaysoError {}
/** 403: not yours. */
export class ForbiddenError extends SaysoError {}
/** 403 on the owner's routes: no token is configured on the server. */
export class AdminDisabledError extends ForbiddenError {}
/** 404. Also what a server answers that does not have this route yet. */
export class NotFoundError extends SaysoError {}
/** 404: nothing waits for a decision on this thread. */
export class NoPendingApprovalError extends NotFoundError {}
/** 409: the state of things is not what the call assumes. */
export class ConflictError extends SaysoError {}
/** 409: the question named is not open; another may be. */
export class StaleInterruptError extends ConflictError {
  /** The ids that are open. */
  get open(): string[] {
    const { open } = this.details;
    return Array.isArray(open) ? open.map(String) : [];
  }
}
/** 409: several questions are open; name one. */
export class AmbiguousInterruptError extends StaleInterruptError {}
/** 409: somebody was faster. */
export class AlreadyDecidedError extends ConflictError {
  get decision(): { status: string | null; by: string | null; at: string | null } {
    // `status` in the body is the HTTP status, so the server may name the outcome `decided_status`.
    const { decided_status, by, at } = this.details;
    return { status: text(decided_status), by: text(by), at: text(at) };
  }
}
/** 409: nothing to resume. */
export class NotPausedError extends ConflictError {}
/** 409: the time for an answer ran out. */
export class ExpiredError extends ConflictError {}
/** 409: asked by another version of the twin. */
export class OrphanedError extends ConflictError {}
/** 409: another run is active on the thread. */
export class ThreadBusyError extends ConflictError {}
/** 413. */
export class TooLargeError extends SaysoError {}
/** 422: the request does not fit. */
export class ValidationError extends SaysoError {}
/** 422: the answer breaks the question's schema; the message names the JSON path. */
export class InvalidAnswerError extends ValidationError {}
/** 422: a message to a thread that waits for a decision, where that is refused. */
export class ThreadPausedError extends ValidationError {}
/** 429: `retryAfter` says when. */
export class RateLimitError extends SaysoError {}
/** 5xx. */
export class ServerError extends SaysoError {}

type ErrorClass = new (problem: Problem, options?: ErrorOptions) => SaysoError;

const BY_CODE: Record<string, ErrorClass> = {
  admin_disabled: AdminDisabledError,
  no_pending_approval: NoPendingApprovalError,
  stale_interrupt: StaleInterruptError,
  ambiguous_interrupt: AmbiguousInterruptError,
  already_decided: AlreadyDecidedError,
  not_paused: NotPausedError,
  expired: ExpiredError,
  orphaned: OrphanedError,
  thread_busy: ThreadBusyError,
  invalid_answer: InvalidAnswerError,
  thread_paused: ThreadPausedError,
};

const BY_STATUS: Record<number, ErrorClass> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  413: TooLargeError,
  422: ValidationError,
  429: RateLimitError,
};

const STANDARD = new Set(["type", "title", "status", "detail", "code", "error"]);

/** The error an HTTP answer stands for; reads problem+json and the envelope of the run routes. */
export async function errorFrom(response: Response): Promise<SaysoError> {
  const { status } = response;
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    body = undefined;
  }
  const facts: Record<string, unknown> = isRecord(body) ? body : {};
  const inner: Record<string, unknown> = isRecord(facts["error"]) ? facts["error"] : {};
  const code = text(facts["code"]) ?? text(inner["code"]) ?? `http_${status}`;
  const message = text(facts["detail"]) ?? text(inner["message"]) ?? `The server answered ${status}.`;
  const details = isRecord(facts["error"])
    ? { details: inner["details"], ...(isRecord(facts["metadata"]) ? { metadata: facts["metadata"] } : {}) }
    : Object.fromEntries(Object.entries(facts).filter(([name]) => !STANDARD.has(name)));
  const Kind = BY_CODE[code] ?? BY_STATUS[status] ?? (status >= 500 ? ServerError : ProtocolError);
  return new Kind({ status, code, message, details, retryAfter });
}

/** Whether trying the same call again later can help. */
export function isTransient(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof ServerError || error instanceof RateLimitError;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
