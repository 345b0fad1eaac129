/** The run routes, in the dialect of the 10xGraph API. */

import { isRecord, ProtocolError } from "./errors.js";
import { Http, type Options } from "./http.js";
import { lines } from "./stream.js";
import { memoryTokens, type TokenStore } from "./tokens.js";

export type Content = string | { type: "text"; text: string }[];

export interface GraphMessage {
  message_id?: string;
  role: string;
  content: { type: string; text?: string }[];
  tools_calls?: unknown;
  timestamp?: string | number;
  metadata?: Record<string, unknown>;
  usages?: unknown;
}

/** An open question, with the JSON Schema its answer must fit. */
export interface GraphInterrupt {
  id: string;
  key: string;
  node: string;
  value: unknown;
  message: string;
  reason: string;
  response_schema: Record<string, unknown> | null;
  tool_call_id: string | null;
}

interface Common {
  threadId?: string;
  onBusy?: "wait" | "cancel";
  granularity?: "low" | "partial" | "full";
  signal?: AbortSignal;
}
/** Say something. */
export interface Say extends Common {
  message: Content;
  messageId?: string;
}
/** Answer the open question. `resume` is any JSON; `null` cancels. */
export interface Resume extends Common {
  resume: unknown;
  interruptId?: string;
}
export type RunRequest = Say | Resume;

export interface RunData {
  messages: GraphMessage[];
  state: Record<string, unknown> | null;
  context: unknown;
  summary: unknown;
  meta: { thread_id: string; is_new_thread?: boolean; interrupt?: GraphInterrupt | null };
}

export interface StreamLine {
  event: "message" | "updates" | "state" | "error";
  message?: GraphMessage | null;
  state?: Record<string, unknown> | null;
  data?: Record<string, unknown> | null;
  thread_id?: string;
  run_id?: string;
  metadata?: Record<string, unknown> | null;
  timestamp?: string | number;
}

export interface GraphOptions extends Options {
  /** A user's JWT or a visitor's token, or where it is kept. */
  token: string | TokenStore;
}

export class GraphClient {
  readonly #http: Http;

  constructor(options: GraphOptions) {
    const { token } = options;
    this.#http = new Http(options, typeof token === "string" ? memoryTokens(token) : token);
  }

  /** Runs to the end or to the next question, which is then `meta.interrupt`. */
  async invoke(request: RunRequest): Promise<RunData> {
    return this.#data("POST", "/v1/graph/invoke", { body: bodyOf(request), signal: request.signal });
  }

  /** The same, line by line. A question is an `updates` line with `data.status` of `interrupted`. */
  async *stream(request: RunRequest): AsyncGenerator<StreamLine> {
    const response = await this.#http.open("POST", "/v1/graph/stream", {
      body: bodyOf(request),
      signal: request.signal,
      headers: { Accept: "application/x-ndjson" },
    });
    for await (const line of lines(response, this.#http.silenceMs, request.signal)) {
      yield JSON.parse(line) as StreamLine;
    }
  }

  /** Stops the active run; a paused thread stays paused. */
  stop(threadId: string): Promise<{ ok: boolean; running: boolean }> {
    return this.#data("POST", "/v1/graph/stop", { body: { thread_id: threadId } });
  }

  async threads(): Promise<Record<string, unknown>[]> {
    const data = await this.#data<unknown>("GET", "/v1/threads");
    const rows = Array.isArray(data) ? data : isRecord(data) ? data["threads"] : [];
    return Array.isArray(rows) ? rows : [];
  }

  thread(threadId: string): Promise<{ thread_data: { thread: Record<string, unknown> } }> {
    return this.#data("GET", `/v1/threads/${encodeURIComponent(threadId)}`);
  }

  /** The state as at `full`: after a reload it names the open question. */
  state(threadId: string): Promise<Record<string, unknown>> {
    return this.#data("GET", `/v1/threads/${encodeURIComponent(threadId)}/state`);
  }

  messages(threadId: string): Promise<unknown> {
    return this.#data("GET", `/v1/threads/${encodeURIComponent(threadId)}/messages`);
  }

  delete(threadId: string): Promise<unknown> {
    return this.#http.json("DELETE", `/v1/threads/${encodeURIComponent(threadId)}`);
  }

  async #data<T>(method: string, path: string, call: { body?: unknown; signal?: AbortSignal | undefined } = {}): Promise<T> {
    const body = await this.#http.json<unknown>(method, path, call);
    if (!isRecord(body) || !("data" in body)) {
      throw new ProtocolError({ status: 200, code: "no_data", message: "The answer has no 'data'." });
    }
    return body["data"] as T;
  }
}

/** The open question in a stream line or an answer, if there is one. */
export function interruptIn(what: StreamLine | RunData): GraphInterrupt | null {
  if ("event" in what) {
    const found = what.data?.["status"] === "interrupted" ? what.data["interrupt"] : null;
    return (found as GraphInterrupt | null | undefined) ?? null;
  }
  return what.meta.interrupt ?? null;
}

function bodyOf(request: RunRequest): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  if (request.threadId !== undefined) body["config"] = { thread_id: request.threadId };
  if (request.onBusy !== undefined) body["on_busy"] = request.onBusy;
  if (request.granularity !== undefined) body["response_granularity"] = request.granularity;
  if ("resume" in request) {
    body["resume"] = request.resume;
    if (request.interruptId !== undefined) body["interrupt_id"] = request.interruptId;
    return body;
  }
  const content = typeof request.message === "string" ? [{ type: "text", text: request.message }] : request.message;
  const message: Record<string, unknown> = { role: "user", content };
  if (request.messageId !== undefined) message["message_id"] = request.messageId;
  body["messages"] = [message];
  return body;
}
