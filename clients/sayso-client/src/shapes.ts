/** What the routes answer, field by field as they come. Times are RFC 3339 texts. */

import type { ApprovalStatus, Outcome } from "./events.js";

export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";
export type OnBusy = "wait" | "cancel" | "reject";

export interface ShownMessage {
  role: "user" | "assistant";
  content: string;
  created_at: string;
  /** The answer was cut off. */
  partial: boolean;
}

/** Whose word a question asks for: the owner's, or the visitor's own (`user`). */
export type Approver = "owner" | "user";

/** A question that waits, as the visitor may see it. */
export interface OpenApproval {
  interrupt_id: string;
  status: ApprovalStatus;
  tool: string;
  arguments: Record<string, unknown>;
  message: string;
  approver: Approver;
  created_at: string;
  expires_at: string | null;
}

/** What the visitor thought of the answer that run wrote. */
export interface GivenFeedback {
  run_id: string;
  seq: number;
  verdict: "up" | "down";
  comment: string | null;
  said_at: string;
}

export interface ThreadView {
  thread_id: string;
  status: ThreadStatus;
  last_seq: number;
  messages: ShownMessage[];
  approvals: OpenApproval[];
  /** In the order of the answers; `run_id` is that of the answer's `thread` event. */
  feedback: GivenFeedback[];
}

export interface Withdrawn {
  status: ApprovalStatus;
  thread_id: string;
  interrupt_id: string;
  remaining: string[];
  run_id: string | null;
}

export interface Feedback {
  thread_id: string;
  seq: number;
  verdict: "up" | "down";
  comment?: string;
}

export interface AskedCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** The tool's JSON Schema, where the server sends it along. */
  parameters?: Record<string, unknown>;
}

/** Everything the owner needs to decide, and later what was decided. */
export interface Card {
  thread_id: string;
  interrupt_id: string;
  status: ApprovalStatus;
  tool_calls: AskedCall[];
  visitor_message: string;
  message: string;
  reason: string;
  /** `user`: the visitor is asked to confirm; the owner may answer in their place. */
  approver: Approver;
  response_schema: Record<string, unknown>;
  digest: string;
  warnings: string[];
  created_at: string;
  expires_at: string | null;
  decided_by: string | null;
  decided_via: string | null;
  decided_at: string | null;
  note: string | null;
  edited_arguments: Record<string, unknown> | null;
}

export interface ThreadCards {
  thread_id: string;
  pending: Card[];
  transcript: ShownMessage[];
}

/** A decision: a yes or no, or an answer to an interrupt with a schema of its own; `resume: null` cancels. */
export type Decision =
  | {
      approved: boolean;
      note?: string;
      arguments?: Record<string, unknown>;
      interrupt_id?: string;
    }
  | { resume: unknown; interrupt_id?: string };

export interface Decided {
  status: ApprovalStatus;
  thread_id: string;
  interrupt_id: string;
  answer: string;
  remaining: string[];
  run_id: string | null;
}

export interface ThreadRow {
  thread_id: string;
  principal: string;
  status: ThreadStatus;
  created_at: string;
  updated_at: string;
}

/** A thread in the list. */
export interface ListedThread extends ThreadRow {
  /** The beginning of what the visitor said last; empty before they said anything. */
  last_said: string;
}

export interface Transcript extends ThreadRow {
  messages: ShownMessage[];
  feedback: GivenFeedback[];
}

export interface RunRow {
  run_id: string;
  thread_id: string;
  resumes: string | null;
  status: "running" | "interrupted" | "success" | "error" | "cancelled";
  outcome: Outcome | null;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd: number;
  latency_ms: number | null;
  ttft_ms: number | null;
  tools: string[];
  flags: string[];
  attempts: number;
  started_at: string;
  ended_at: string | null;
}

export interface ContactMessage {
  id: string;
  thread_id: string;
  subject: string;
  message: string;
  sender_contact: string;
  created_at: string;
}

/** A page of a list; `next` is the `before` of the page after it. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface PageQuery {
  before?: string | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Questions that ask the same and were not answered. `id` is the first one's, `examples` the newest few. */
export interface Gap {
  id: string;
  question: string;
  count: number;
  first_asked_at: string;
  last_asked_at: string;
  examples: { question: string; thread_id: string; asked_at: string }[];
  languages: string[];
  status: "open" | "answered" | "dismissed";
  answered_at: string | null;
  answered_by: string | null;
  /** Where the answer stands in the knowledge folder. */
  page: string | null;
}

/** One execution of a high-risk tool. */
export interface Effect {
  id: string;
  thread_id: string;
  tool_call_id: string;
  tool: string;
  digest: string;
  status: "started" | "done" | "failed" | "in_doubt";
  run_id: string;
  result: string | null;
  started_at: string;
  ended_at: string | null;
}

/** What decides or settles, as it is recorded. */
export type Via = "api" | "web" | "link" | "terminal" | "visitor" | "clock";

/** One line of the audit: what was decided or done, by whom, about what. No text but the owner's note. */
export interface AuditLine {
  /** Its place, which only grows and has gaps. */
  seq: number;
  at: string;
  what:
    | "approved" | "rejected" | "cancelled" | "withdrawn" | "expired" | "orphaned"
    | "effect_done" | "effect_failed" | "effect_in_doubt" | "effect_retried" | "forgotten";
  by: string | null;
  via: Via | null;
  thread_id: string | null;
  /** Of a forgotten thread: the first 16 hex digits of its id's SHA-256. */
  thread_digest: string | null;
  interrupt_id: string | null;
  effect_id: string | null;
  tool: string | null;
  /** Of the arguments that were asked about. */
  digest: string | null;
  /** Of those that may run. */
  effective_digest: string | null;
  /** Whether a person changed them. */
  edited: boolean;
  note: string | null;
}

/** Lines in the order they were written; `next` is the `after` of the next page, null when that was all there is. */
export interface AuditPage {
  audit: AuditLine[];
  next: number | null;
}

/** Which lines. `since` and `until` are RFC 3339 times with a zone; `limit` is 1 to 500. */
export interface AuditQuery {
  after?: number | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Of one day or of several. Medians are null where there is nothing to take one of. */
export interface Numbers {
  /** Threads with a turn. */
  conversations: number;
  turns: number;
  /** Runs by how they ended. */
  outcomes: Record<Outcome, number>;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Milliseconds to the first words. */
  median_ttft_ms: number | null;
  approvals: Record<"asked" | "approved" | "rejected" | "cancelled" | "expired" | "withdrawn", number>;
  /** Seconds from a question to the owner's decision. */
  median_decide_s: number | null;
  feedback: Record<"up" | "down", number>;
  gaps: number;
}

export interface Stats {
  timezone: string;
  total: Numbers;
  /** Every day of the span, the last one today. `day` is `2026-12-01`. */
  days: (Numbers & { day: string })[];
}
