/** What an owner's tool does: see what waits, decide, look back. */

import type { ApprovalStatus } from "./events.js";
import { Http, type Options } from "./http.js";
import type {
  AuditPage, AuditQuery, Card, ContactMessage, Decided, Decision, Effect, Gap, Page, PageQuery, RunRow, Stats, ThreadCards, ListedThread,
  Transcript,
} from "./shapes.js";
import { memoryTokens, type TokenStore } from "./tokens.js";

export interface OwnerOptions extends Options {
  /** The owner's token, or where it is kept. It is sent as a header, never in an address. */
  token: string | TokenStore;
  /** What decides, as decisions are recorded with it. Default: `api`. */
  via?: "api" | "web" | "terminal";
}

export class OwnerClient {
  readonly #http: Http;
  readonly #via: string | undefined;

  constructor(options: OwnerOptions) {
    const { token } = options;
    this.#via = options.via;
    this.#http = new Http(options, typeof token === "string" ? memoryTokens(token) : token);
  }

  /** What waits for a decision, oldest first. */
  async pending(signal?: AbortSignal): Promise<Card[]> {
    const body = await this.#get<{ pending: Card[] }>("/approvals", { signal });
    return body.pending;
  }

  /** What was settled, newest first. */
  async settled(status: Exclude<ApprovalStatus, "pending">, query: PageQuery = {}): Promise<Page<Card>> {
    const body = await this.#get<Record<string, unknown>>("/approvals", query, { status });
    return page(body, "approvals");
  }

  /** The open questions of a thread, with its transcript. Throws `NoPendingApprovalError`. */
  ask(threadId: string, signal?: AbortSignal): Promise<ThreadCards> {
    return this.#get(`/approvals/${encodeURIComponent(threadId)}`, { signal });
  }

  /**
   * Decides. With `async` it returns once the decision is recorded; otherwise it waits for the closing answer.
   * Name the `interrupt_id` you have looked at: then a question that was settled or replaced meanwhile throws a
   * `ConflictError` and nothing is recorded.
   */
  decide(threadId: string, decision: Decision, options: { async?: boolean; signal?: AbortSignal } = {}): Promise<Decided> {
    return this.#http.json("POST", `/api/admin/approvals/${encodeURIComponent(threadId)}`, {
      body: decision,
      signal: options.signal,
      headers: {
        ...(options.async && { Prefer: "respond-async" }),
        ...this.#saysVia(),
      },
    });
  }

  async threads(query: PageQuery = {}): Promise<Page<ListedThread>> {
    return page(await this.#get("/threads", query), "threads");
  }

  transcript(threadId: string, signal?: AbortSignal): Promise<Transcript> {
    return this.#get(`/threads/${encodeURIComponent(threadId)}`, { signal });
  }

  /** The turn log. */
  async runs(query: PageQuery & { threadId?: string } = {}): Promise<Page<RunRow>> {
    return page(await this.#get("/runs", query, { thread_id: query.threadId }), "runs");
  }

  /** Messages that were let through. */
  async contactMessages(query: PageQuery = {}): Promise<Page<ContactMessage>> {
    return page(await this.#get("/contact-messages", query), "contact_messages");
  }

  /** What visitors asked that the twin could not answer; questions that ask the same are one. */
  async gaps(query: PageQuery & { status?: "open" | "answered" } = {}): Promise<Page<Gap>> {
    return page(await this.#get("/gaps", query, { status: query.status }), "gaps");
  }

  /**
   * The answer, in Markdown, becomes a page of the knowledge folder, under `title` or the question itself. Throws
   * `AlreadyDecidedError`, and a `ConflictError` with the code `answer_not_kept` where there is no folder to write to.
   */
  answerGap(id: string, answer: string, title?: string): Promise<Gap> {
    return this.#settleGap(id, { answer, ...(title && { title }) });
  }

  /** Takes a question off the list, unanswered. Throws `AlreadyDecidedError`. */
  dismissGap(id: string): Promise<Gap> {
    return this.#settleGap(id, { dismiss: true });
  }

  /** Executions of high-risk tools. */
  async effects(status: Effect["status"], query: PageQuery = {}): Promise<Page<Effect>> {
    return page(await this.#get("/effects", query, { status }), "effects");
  }

  /** Settles an effect in doubt: it happened (with its result), or it is to be tried again. */
  settleEffect(id: string, settle: "done" | "retry", result?: string): Promise<Effect> {
    const body = { settle, ...(result && { result }) };
    return this.#http.json("POST", `/api/admin/effects/${encodeURIComponent(id)}`, { body, headers: this.#saysVia() });
  }

  /** What was decided and done, oldest first. No line ever appears before one that was read: remember the last `seq`. */
  audit(query: AuditQuery = {}): Promise<AuditPage> {
    const { after, since, until, limit, signal } = query;
    return this.#http.json("GET", "/api/admin/audit", { query: { after, since, until, limit }, signal });
  }

  /** Counts and cost per day, for so many days, today included (1 to 366; 30 unless said otherwise). */
  stats(days?: number, signal?: AbortSignal): Promise<Stats> {
    return this.#get("/stats", { signal }, { days: days?.toString() });
  }

  #saysVia(): Record<string, string> {
    return this.#via ? { "Sayso-Via": this.#via } : {};
  }

  #settleGap(id: string, body: Record<string, unknown>): Promise<Gap> {
    return this.#http.json("POST", `/api/admin/gaps/${encodeURIComponent(id)}`, { body });
  }

  #get<T>(path: string, query: PageQuery = {}, more: Record<string, string | undefined> = {}): Promise<T> {
    const { before, limit, signal } = query;
    return this.#http.json("GET", `/api/admin${path}`, { query: { before, limit, ...more }, signal });
  }
}

function page<T>(body: Record<string, unknown>, name: string): Page<T> {
  const items = body[name];
  return { items: Array.isArray(items) ? (items as T[]) : [], next: (body["next"] as string | null) ?? null };
}
