/** The entries of a thread's log, typed by hand from the contract. A test compares them with the server's. */

export const approvalStatuses = [
  "pending", "approved", "rejected", "cancelled", "withdrawn", "expired", "orphaned",
] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

export const outcomes = ["answered", "refused", "pending_approval", "cancelled", "error"] as const;
export type Outcome = (typeof outcomes)[number];

export const toolStatuses = ["started", "done", "failed", "declined"] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** First, always. `visitor_token` is there once, for a visitor who came without one. */
export interface ThreadEvent {
  type: "thread";
  thread_id: string;
  run_id: string;
  visitor_token?: string;
}

/** A piece of answer that has passed verification. */
export interface TextEvent {
  type: "text";
  text: string;
}

/** Before or with the first text that relies on it; `[n]` in the text points to it. */
export interface CitationEvent {
  type: "citation";
  n: number;
  title: string;
  source: string;
  quote: string;
  url?: string;
}

/** A tool call's progress. */
export interface ToolEvent {
  type: "tool";
  name: string;
  tool_call_id: string;
  status: ToolStatus;
}

/** Text already shown since `from_seq` (included) is taken back. */
export interface RetractEvent {
  type: "retract";
  from_seq: number;
}

/** One per question: when it opens, and again when it is settled. */
export interface InterruptEvent {
  type: "interrupt";
  interrupt_id: string;
  status: ApprovalStatus;
  tool: string;
  arguments: Record<string, unknown>;
  message: string;
  expires_at?: string;
  note?: string;
  /** There when the visitor is asked to confirm their own action; without it the owner is asked. */
  approver?: "user";
}

/** `pending` once when the run pauses; the outcome once when the whole pause is settled. */
export interface ApprovalEvent {
  type: "approval";
  status: ApprovalStatus | "mixed";
}

/** Once per run. Times in milliseconds, cost in US dollars. */
export interface MetaEvent {
  type: "meta";
  run_id: string;
  outcome: Outcome;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd: number;
  latency_ms: number;
  ttft_ms: number | null;
}

/** Once per run. `withheld` counts sentences that were not shown. */
export interface TraceEvent {
  type: "trace";
  nodes: { node: string; ms: number }[];
  flags: string[];
  withheld: number;
}

/** The run failed. `message` is for the visitor. */
export interface ErrorEvent {
  type: "error";
  code: string;
  message: string;
  retryable: boolean;
}

/** The cursor is older than what is kept: read the thread again. */
export interface ResetEvent {
  type: "reset";
}

/** Always the last event of a run. */
export interface DoneEvent {
  type: "done";
}

export type SaysoEvent =
  | ThreadEvent
  | TextEvent
  | CitationEvent
  | ToolEvent
  | RetractEvent
  | InterruptEvent
  | ApprovalEvent
  | MetaEvent
  | TraceEvent
  | ErrorEvent
  | ResetEvent
  | DoneEvent;

/** An event with its place in the thread's log; `null` for what is not in the log (`reset`). */
export type Numbered<E extends SaysoEvent = SaysoEvent> = E & { seq: number | null };

type Shape<E> = {
  [K in keyof E]-?: object extends Pick<E, K> ? "optional" : "required";
};

/** What the types above say, at run time. The compiler holds the two together. */
export const eventShapes: { [E in SaysoEvent as E["type"]]: Shape<E> } = {
  thread: { type: "required", thread_id: "required", run_id: "required", visitor_token: "optional" },
  text: { type: "required", text: "required" },
  citation: {
    type: "required", n: "required", title: "required", source: "required", quote: "required", url: "optional",
  },
  tool: { type: "required", name: "required", tool_call_id: "required", status: "required" },
  retract: { type: "required", from_seq: "required" },
  interrupt: {
    type: "required", interrupt_id: "required", status: "required", tool: "required", arguments: "required",
    message: "required", expires_at: "optional", note: "optional", approver: "optional",
  },
  approval: { type: "required", status: "required" },
  meta: {
    type: "required", run_id: "required", outcome: "required", model: "required", input_tokens: "required",
    output_tokens: "required", cached_tokens: "required", cost_usd: "required", latency_ms: "required",
    ttft_ms: "required",
  },
  trace: { type: "required", nodes: "required", flags: "required", withheld: "required" },
  error: { type: "required", code: "required", message: "required", retryable: "required" },
  reset: { type: "required" },
  done: { type: "required" },
};
