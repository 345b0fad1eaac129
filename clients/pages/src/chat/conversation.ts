/** One visitor's conversation: what the page shows of it, and what the visitor can do. Knows no DOM but visibility. */

import {
  AuthenticationError, ConflictError, ForbiddenError, NetworkError, NotFoundError, RateLimitError, SaysoError,
  ThreadBusyError, VisitorClient, isTransient, type Connection, type ShownMessage,
  type ThreadView, type TokenStore,
} from "sayso-client";

import { Log, textOf, type Block } from "./log.js";

/** How far back sources and cards are shown; what is older shows as plain messages. */
const REPLAYED = 2000;

export interface Turn {
  key: string;
  said: string | null;
  at: string | null;
  /** From the log; null for a turn older than what was replayed. */
  block: Block | null;
  /** The answer of such an older turn. */
  answer: string;
  partial: boolean;
  /** When each request was asked, where known. */
  since: Record<string, string>;
  /** What the visitor thought of the answer. */
  verdict: Verdict | null;
}

export type Verdict = "up" | "down";

export interface Outgoing {
  text: string;
  state: "sending" | "failed";
  error: SaysoError | null;
}

/** Where the conversation's id is kept between visits. */
export interface Kept {
  get(): string | null;
  set(threadId: string | null): void;
}

export type Phase = "loading" | "ready" | "unreachable" | "refused";

export class Conversation extends EventTarget {
  phase: Phase = "loading";
  turns: Turn[] = [];
  outgoing: Outgoing | null = null;
  /** False while the connection is lost. */
  connected = true;

  readonly #client: VisitorClient;
  readonly #tokens: TokenStore;
  readonly #kept: Kept;
  #threadId: string | null;
  #log = new Log();
  #messages: ShownMessage[] = [];
  #said = new Map<string, { text: string; at: string }>();
  #since = new Map<string, string>();
  #verdicts = new Map<string, Verdict>();
  #following: AbortController | null = null;
  #chatting: AbortController | null = null;
  #memo = new Map<string, Turn>();
  #replayTo = 0;

  constructor(options: { url?: string; tokens: TokenStore; kept: Kept }) {
    super();
    this.#client = new VisitorClient({ tokens: options.tokens, ...(options.url !== undefined && { url: options.url }) });
    this.#tokens = options.tokens;
    this.#kept = options.kept;
    this.#threadId = options.kept.get();
    document.addEventListener("visibilitychange", () => this.#attend());
  }

  get threadId(): string | null {
    return this.#threadId;
  }

  /** Whether an answer is on its way. */
  get busy(): boolean {
    if (this.outgoing?.state === "sending") return true;
    const last = this.#log.blocks.at(-1);
    return last !== undefined && !last.done;
  }

  get waiting(): boolean {
    return this.#log.blocks.some((block) => block.requests.some((request) => request.status === "pending"));
  }

  /** Shows what was said before, and goes on from there. */
  async load(): Promise<void> {
    this.#following?.abort();
    this.phase = "loading";
    this.#changed();
    if (this.#threadId === null) return this.#ready();
    let view: ThreadView;
    try {
      view = await this.#client.thread(this.#threadId);
    } catch (error) {
      if (error instanceof ForbiddenError || error instanceof NotFoundError || error instanceof AuthenticationError) {
        this.phase = "refused";
      } else {
        this.phase = "unreachable";
      }
      if (error instanceof AuthenticationError) await this.#tokens.set(null);
      return this.#changed();
    }
    this.#reset(view);
    this.#follow();
  }

  /** Says something. The message is on the page at once, and stays there whatever happens. */
  async send(text: string): Promise<void> {
    if (this.outgoing?.state === "sending") return;
    const fresh = this.#threadId === null;
    const threadId = (this.#threadId ??= newThreadId());
    if (fresh) this.#kept.set(threadId);
    this.outgoing = { text, state: "sending", error: null };
    this.#changed();
    this.#following?.abort();
    const abort = (this.#chatting = new AbortController());
    let began = false;
    try {
      const options = { threadId, signal: abort.signal, onConnection: (state: Connection) => this.#connection(state) };
      for await (const event of this.#client.chat(text, options)) {
        if (event.type === "thread" && !began) {
          began = true;
          this.#said.set(event.run_id, { text, at: new Date().toISOString() });
          this.outgoing = null;
        }
        if (event.type === "reset") return void this.load();
        this.#add(event);
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!began) await this.#notSent(text, error);
    } finally {
      if (this.#chatting === abort) this.#chatting = null;
      this.#changed();
    }
    if (!abort.signal.aborted) this.#follow();
  }

  async retry(): Promise<void> {
    const failed = this.outgoing;
    if (failed?.state !== "failed") return;
    // It may have arrived although no answer did: then it must not be said twice.
    if (failed.error instanceof NetworkError && (await this.#arrived(failed.text))) return;
    this.outgoing = null;
    await this.send(failed.text);
  }

  discard(): void {
    this.outgoing = null;
    this.#changed();
  }

  async stop(): Promise<void> {
    if (this.#threadId === null) return;
    await this.#client.cancel(this.#threadId).catch((error: unknown) => {
      if (!(error instanceof SaysoError)) throw error;
    });
  }

  /** Takes a request back; `late` when the owner had decided. Throws when it can't be reached. */
  async withdraw(interruptId: string): Promise<"withdrawn" | "late"> {
    if (this.#threadId === null) return "late";
    try {
      await this.#client.withdraw(this.#threadId, interruptId);
      return "withdrawn";
    } catch (error) {
      if (error instanceof ConflictError && !(error instanceof ThreadBusyError)) return "late";
      throw error;
    } finally {
      this.#follow();
    }
  }

  /**
   * The visitor's own word on a question that asks for it; `late` when it was settled already. Throws when it can't be
   * reached. What becomes of it arrives with the log.
   */
  async confirm(interruptId: string, approved: boolean): Promise<"answered" | "late"> {
    const threadId = this.#threadId;
    if (threadId === null) return "late";
    if (!this.#following) this.#follow();
    try {
      await this.#client.confirm(threadId, interruptId, approved);
      return "answered";
    } catch (error) {
      if (error instanceof ConflictError && error.code !== "THREAD_BUSY") return "late";
      throw error;
    }
  }

  /** What the visitor thinks of an answer; said again, it replaces. */
  async rate(block: Block, verdict: Verdict, comment?: string): Promise<void> {
    const seq = block.pieces.at(-1)?.seq;
    if (this.#threadId === null || seq === undefined) return;
    await this.#client.feedback({ thread_id: this.#threadId, seq, verdict, ...(comment && { comment }) });
    this.#verdicts.set(block.key, verdict);
    this.#changed();
  }

  /** Deletes it on the server, then begins anew. Throws when the server can't. */
  async forget(): Promise<void> {
    const threadId = this.#threadId;
    this.#following?.abort();
    this.#chatting?.abort();
    if (threadId !== null) {
      try {
        await this.#client.forget(threadId);
      } catch (error) {
        if (!(error instanceof ForbiddenError || error instanceof NotFoundError || error instanceof AuthenticationError)) {
          this.#follow();
          throw error;
        }
      }
    }
    this.startAnew();
  }

  startAnew(): void {
    this.#following?.abort();
    this.#chatting?.abort();
    this.#threadId = null;
    this.#kept.set(null);
    this.outgoing = null;
    this.#reset(null);
    this.#ready();
  }

  #reset(view: ThreadView | null): void {
    const after = Math.max(0, (view?.last_seq ?? 0) - REPLAYED);
    this.#log = new Log(after);
    this.#said.clear();
    this.#since.clear();
    this.#verdicts.clear();
    this.#memo.clear();
    this.#messages = view?.messages ?? [];
    this.#replayTo = view?.last_seq ?? 0;
    if (view) this.#learn(view);
    this.phase = this.#replayTo > 0 ? "loading" : "ready";
    this.#changed();
  }

  #learn({ approvals, feedback }: ThreadView): void {
    for (const approval of approvals) this.#since.set(approval.interrupt_id, approval.created_at);
    for (const given of feedback) this.#verdicts.set(given.run_id, given.verdict);
  }

  #ready(): void {
    this.phase = "ready";
    this.#changed();
  }

  #add(event: Parameters<Log["add"]>[0]): void {
    const isNew = this.#log.add(event);
    if (this.phase === "loading" && this.#log.contiguous >= this.#replayTo) this.phase = "ready";
    if (!isNew || this.phase === "loading") return;
    if (event.type === "interrupt" && event.status === "pending" && (event.seq ?? 0) > this.#replayTo) {
      this.#since.set(event.interrupt_id, this.#since.get(event.interrupt_id) ?? new Date().toISOString());
    }
    this.#changed();
  }

  /** Stays on the thread, unless nothing can come and nobody looks: browsers allow few connections per server. */
  #follow(): void {
    this.#following?.abort();
    this.#following = null;
    if (this.#threadId === null || this.#chatting || !this.#wanted()) return;
    const abort = (this.#following = new AbortController());
    void this.#read(this.#threadId, abort.signal);
  }

  async #read(threadId: string, signal: AbortSignal): Promise<void> {
    try {
      const events = this.#client.follow(threadId, {
        after: this.#log.contiguous,
        signal,
        onConnection: (state) => this.#connection(state),
      });
      for await (const event of events) {
        if (event.type === "reset") {
          this.#log.contiguous = this.#replayTo;
          this.#ready();
          continue;
        }
        this.#add(event);
        if (event.type === "done") void this.#nameUnknown(threadId);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.phase = error instanceof SaysoError && !isTransient(error) ? "refused" : "unreachable";
      this.#changed();
    }
  }

  #attend(): void {
    if (document.visibilityState === "visible" && !this.#following && this.phase === "ready") this.#follow();
    if (!this.#wanted()) {
      this.#following?.abort();
      this.#following = null;
    }
  }

  #wanted(): boolean {
    return document.visibilityState === "visible" || this.busy || this.waiting || this.phase === "loading";
  }

  #connection(state: Connection): void {
    const connected = state === "live";
    if (connected === this.connected) return;
    this.connected = connected;
    this.#changed();
  }

  async #notSent(text: string, error: unknown): Promise<void> {
    if (!(error instanceof SaysoError)) throw error;
    if (error instanceof NetworkError && (await this.#arrived(text))) return;
    if (error instanceof AuthenticationError && (await this.#tokens.get()) !== null) {
      // A token of another key, as after the server's was changed: it will never be good again.
      await this.#tokens.set(null);
      if (this.turns.length === 0) {
        this.#threadId = null;
        this.outgoing = null;
        return this.send(text);
      }
    }
    if (error instanceof ForbiddenError && this.turns.length === 0) {
      // Somebody else's id, or our token is gone; nothing is lost by taking another.
      this.#threadId = null;
    }
    this.outgoing = { text, state: "failed", error };
    this.#changed();
  }

  /** Whether the server has this message although the answer to the call was lost. Then the page goes on from there. */
  async #arrived(text: string): Promise<boolean> {
    if (this.#threadId === null) return false;
    const before = this.#countSaid();
    const view = await this.#client.thread(this.#threadId).catch(() => null);
    const said = view?.messages.filter((message) => message.role === "user") ?? [];
    if (!view || said.length <= before || said.at(-1)?.content !== text) return false;
    this.outgoing = null;
    this.#reset(view);
    this.#follow();
    return true;
  }

  #countSaid(): number {
    return this.turns.filter((turn) => turn.said !== null).length;
  }

  /** A turn begun in another tab: what was said is not in the log, but in the history. */
  async #nameUnknown(threadId: string): Promise<void> {
    const unknown = this.turns.some((turn) => turn.block && turn.said === null && turn.block.ends.length === 0);
    if (!unknown) return;
    const view = await this.#client.thread(threadId).catch(() => null);
    if (!view || threadId !== this.#threadId) return;
    this.#messages = view.messages;
    this.#learn(view);
    this.#said.clear();
    this.#changed();
  }

  #changed(): void {
    this.turns = this.phase === "loading" ? this.turns : this.#merged();
    this.dispatchEvent(new Event("change"));
  }

  /** The log's blocks with what was said before each, and older turns from the history before them. */
  #merged(): Turn[] {
    const blocks = this.#log.blocks;
    const begun = blocks.filter((block) => block.ends.length === 0);
    const history = pairs(this.#messages);
    // Turns the history knows nothing of yet were begun here, after it was read.
    const unread = begun.filter((block) => this.#said.has(block.key)).length;
    const known = begun.length - unread;
    const older = history.slice(0, Math.max(0, history.length - known));
    const named = history.slice(older.length);
    const turns: Turn[] = older.map((pair, n) => ({
      key: `h${n}`, said: pair.said, at: pair.at, block: null, answer: pair.answer, partial: pair.partial, since: {},
      verdict: null,
    }));
    let n = 0;
    for (const block of blocks) {
      let said = this.#said.get(block.key) ?? null;
      if (!said && block.ends.length === 0) {
        const pair = named[n];
        n += 1;
        said = pair ? { text: pair.said, at: pair.at } : null;
      }
      const since = Object.fromEntries(
        block.requests.map((request) => [request.interrupt_id, this.#since.get(request.interrupt_id) ?? said?.at ?? ""]),
      );
      turns.push({
        key: block.key, said: said?.text ?? null, at: said?.at ?? null, block, answer: textOf(block),
        partial: block.outcome === "cancelled", since, verdict: this.#verdicts.get(block.key) ?? null,
      });
    }
    return turns.map((turn) => this.#unchanged(turn));
  }

  /** The same object as last time when nothing in it changed, so that only what changed is rendered. */
  #unchanged(turn: Turn): Turn {
    const before = this.#memo.get(turn.key);
    if (
      before && before.block === turn.block && before.said === turn.said && before.at === turn.at &&
      before.answer === turn.answer && before.verdict === turn.verdict && JSON.stringify(before.since) === JSON.stringify(turn.since)
    ) {
      return before;
    }
    this.#memo.set(turn.key, turn);
    return turn;
  }
}

/** What to tell the visitor when a message was refused: seconds to wait, where that is why. */
export function secondsToWait(error: SaysoError | null): number | null {
  return error instanceof RateLimitError ? (error.retryAfter ?? 60) : null;
}

function pairs(messages: ShownMessage[]): { said: string; at: string; answer: string; partial: boolean }[] {
  const found: { said: string; at: string; answer: string; partial: boolean }[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      found.push({ said: message.content, at: message.created_at, answer: "", partial: false });
      continue;
    }
    const last = found.at(-1);
    if (!last) continue;
    last.answer = message.content;
    last.partial = message.partial;
  }
  return found;
}

/** 22 letters, unguessable, also where the page is served without TLS. */
function newThreadId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
