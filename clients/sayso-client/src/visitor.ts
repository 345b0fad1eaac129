/** What a visitor's page does: chat, follow, take back, stop, forget. */

import type { Numbered } from "./events.js";
import { isTransient, NetworkError } from "./errors.js";
import { Http, type Options } from "./http.js";
import type { Feedback, OnBusy, ThreadView, Withdrawn } from "./shapes.js";
import { asEvent, messages, pause } from "./stream.js";
import { memoryTokens, type TokenStore } from "./tokens.js";

/** `live`: reading. `waiting`: the connection is gone, another try follows by itself. */
export type Connection = "live" | "waiting";

export interface ChatOptions {
  /** Names the thread; a new one may be of your own choosing. Without it the server makes one. */
  threadId?: string | undefined;
  onBusy?: OnBusy;
  signal?: AbortSignal | undefined;
  onConnection?: (state: Connection) => void;
}

export interface FollowOptions {
  /** The seq after which to begin; 0 is the start. */
  after?: number;
  /** End when no run is active, rather than stay. */
  until?: "idle";
  signal?: AbortSignal | undefined;
  onConnection?: (state: Connection) => void;
}

export interface VisitorOptions extends Options {
  /** Where the visitor's token is kept; it is set here when the server makes one. Default: in memory. */
  tokens?: TokenStore;
}

export class VisitorClient {
  readonly #http: Http;
  readonly #tokens: TokenStore;

  constructor(options: VisitorOptions = {}) {
    this.#tokens = options.tokens ?? memoryTokens();
    this.#http = new Http(options, this.#tokens);
  }

  /**
   * Says something; yields the run's events up to `done`. A stream that breaks off is picked up again where it
   * stopped, for as long as it takes or until you abort. Stopping to read does not stop the run: `cancel` does.
   *
   * Throws a `SaysoError` when the message is refused, and `NetworkError` when nothing shows that it arrived: only
   * then may it be sent again, and the thread's history tells whether it should.
   */
  async *chat(message: string, options: ChatOptions = {}): AsyncGenerator<Numbered> {
    const { signal, onConnection } = options;
    const body: Record<string, unknown> = { message };
    if (options.threadId !== undefined) body["thread_id"] = options.threadId;
    if (options.onBusy !== undefined) body["on_busy"] = options.onBusy;
    const response = await this.#http.open("POST", "/api/chat", {
      body,
      signal,
      headers: { Accept: "text/event-stream" },
    });
    onConnection?.("live");
    let threadId: string | undefined;
    let runId: string | undefined;
    let last = 0;
    try {
      for await (const message of messages(response, this.#http.silenceMs, signal)) {
        const event = asEvent(message);
        if (!event) continue;
        last = event.seq ?? last;
        if (event.type === "thread") {
          ({ thread_id: threadId, run_id: runId } = event);
          if (event.visitor_token) await this.#tokens.set(event.visitor_token);
        }
        yield event;
        if (event.type === "done") return;
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
    }
    if (threadId === undefined) throw new NetworkError("The connection broke before the answer began.");
    onConnection?.("waiting");
    await pause(this.#http.backoff(1), signal);
    let ours = true;
    for await (const event of this.follow(threadId, { after: last, signal, ...(onConnection && { onConnection }) })) {
      if (event.type === "thread") ours = event.run_id === runId;
      if (!ours && event.type !== "reset") continue;
      yield event;
      if (event.type === "done") return;
    }
  }

  /**
   * The thread's log after a place, then whatever comes: across runs, reconnects and restarts of the server. Each
   * event once, in order. After a `reset` read the thread again: what lay before it is not kept any more.
   *
   * Ends only with `until: "idle"`; throws the signal's reason when aborted, and a `SaysoError` when the server
   * refuses (not your thread, no such thread).
   */
  async *follow(threadId: string, options: FollowOptions = {}): AsyncGenerator<Numbered> {
    const { signal, until, onConnection } = options;
    let last = options.after ?? 0;
    let failures = 0;
    while (true) {
      let wait: number | undefined;
      try {
        const response = await this.#http.open("GET", `/api/threads/${encodeURIComponent(threadId)}/events`, {
          query: { until },
          signal,
          headers: { Accept: "text/event-stream", "Last-Event-ID": String(last) },
        });
        onConnection?.("live");
        for await (const message of messages(response, this.#http.silenceMs, signal)) {
          failures = 0;
          const event = asEvent(message);
          if (!event || (event.seq !== null && event.seq <= last)) continue;
          last = event.seq ?? last;
          yield event;
        }
        if (until) return;
      } catch (error) {
        if (signal?.aborted || !isTransient(error)) throw error;
        const seconds = (error as { retryAfter?: number }).retryAfter;
        wait = seconds === undefined ? undefined : seconds * 1000;
      }
      failures += 1;
      onConnection?.("waiting");
      await pause(Math.max(wait ?? 0, this.#http.backoff(failures)), signal);
    }
  }

  /** The conversation so far. */
  thread(threadId: string, signal?: AbortSignal): Promise<ThreadView> {
    return this.#http.json("GET", `/api/threads/${encodeURIComponent(threadId)}`, { signal });
  }

  /** Takes a pending request back. Throws `AlreadyDecidedError` when the owner was faster. */
  withdraw(threadId: string, interruptId: string): Promise<Withdrawn> {
    const path = `/api/threads/${encodeURIComponent(threadId)}/approvals/${encodeURIComponent(interruptId)}/withdraw`;
    return this.#http.json("POST", path);
  }

  /**
   * The visitor's own word on a question that asks for it (`approver` is `user`): yes or no. Comes back when the run that
   * follows has ended; what becomes of it is in the log. Throws `ForbiddenError` where the owner is asked, and
   * `ConflictError` when the question is not open any more.
   */
  async confirm(threadId: string, interruptId: string, approved: boolean): Promise<void> {
    const body = { config: { thread_id: threadId }, interrupt_id: interruptId, resume: { approved } };
    await this.#http.json("POST", "/v1/graph/invoke", { body });
  }

  /** Stops the active run; what was shown stays. */
  cancel(threadId: string): Promise<{ running: boolean }> {
    return this.#http.json("POST", `/api/threads/${encodeURIComponent(threadId)}/cancel`);
  }

  /** What the visitor thinks of the answer that event belongs to; said again, it replaces. */
  feedback(feedback: Feedback): Promise<null> {
    return this.#http.json("POST", "/api/feedback", { body: feedback });
  }

  /** Removes the thread and everything in it from the server. */
  forget(threadId: string): Promise<null> {
    return this.#http.json("DELETE", `/api/threads/${encodeURIComponent(threadId)}`);
  }
}
