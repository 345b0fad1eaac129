/** The owner's desk: who is signed in, what waits, and what became of it. Knows no DOM but visibility. */

import {
  AuthenticationError, ConflictError, ForbiddenError, NotFoundError, OwnerClient, SaysoError, type ApprovalStatus, type Card,
  type Decision, type ThreadCards,
} from "sayso-client";

const TOKEN = "sayso.owner";
const LOOK_MS = 2000;
const LOOK_HIDDEN_MS = 20_000;
const SETTLED = ["approved", "rejected", "withdrawn", "expired", "cancelled", "orphaned"] as const;

export type SettledStatus = Exclude<ApprovalStatus, "pending">;
/** `settled`: ours counted. `late`: somebody or something else was faster; nothing of ours had any effect. */
export type Result = { kind: "settled"; status: ApprovalStatus } | { kind: "late" } | { kind: "refused"; error: SaysoError };

export class Desk extends EventTarget {
  owner: OwnerClient | null = null;
  pending: Card[] | null = null;
  live = true;
  refusal: SaysoError | null = null;
  /** Cards that left the list without us, with what became of them as far as that is known. */
  readonly gone = new Map<string, Card>();
  readonly #ours = new Set<string>();
  #looking: AbortController | null = null;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.owner) this.#look(0);
    });
    const kept = keptToken();
    if (kept) this.#use(kept);
  }

  /** Throws when the token is not good. It stays in this tab's session storage, at most. */
  async signIn(token: string): Promise<void> {
    const owner = new OwnerClient({ token, via: "web" });
    this.pending = await owner.pending();
    keepToken(token);
    this.#use(token);
  }

  signOut(): void {
    this.#looking?.abort();
    keepToken(null);
    this.owner = null;
    this.pending = null;
    this.#changed();
  }

  /** Looks right now. */
  refresh(): void {
    this.#look(0);
  }

  ask(card: Card, signal: AbortSignal): Promise<ThreadCards> {
    if (!this.owner) throw new Error("Not signed in.");
    return this.owner.ask(card.thread_id, signal);
  }

  /** Decides exactly this question. */
  async decide(card: Card, decision: Decision): Promise<Result> {
    if (!this.owner) throw new Error("Not signed in.");
    this.#ours.add(card.interrupt_id);
    try {
      const decided = await this.owner.decide(card.thread_id, { ...decision, interrupt_id: card.interrupt_id }, { async: true });
      this.pending = (this.pending ?? []).filter((other) => other.interrupt_id !== card.interrupt_id);
      this.#changed();
      return { kind: "settled", status: decided.status };
    } catch (error) {
      this.#ours.delete(card.interrupt_id);
      if (!(error instanceof SaysoError)) throw error;
      if ((error instanceof ConflictError && error.code !== "thread_busy") || error instanceof NotFoundError) {
        await this.#learn([card]);
        return { kind: "late" };
      }
      return { kind: "refused", error };
    } finally {
      this.#look(0);
    }
  }

  #use(token: string): void {
    this.owner = new OwnerClient({ token, via: "web" });
    this.#look(0);
    this.#changed();
  }

  /** One look after another, never two at once. The contract has no stream for owners, so this asks again. */
  #look(after: number): void {
    this.#looking?.abort();
    const abort = (this.#looking = new AbortController());
    void this.#keepLooking(after, abort.signal);
  }

  async #keepLooking(first: number, signal: AbortSignal): Promise<void> {
    let wait = first;
    let failures = 0;
    while (!signal.aborted && this.owner) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (signal.aborted) return;
      try {
        const pending = await this.owner.pending(signal);
        failures = 0;
        this.#take(pending);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof AuthenticationError || error instanceof ForbiddenError) return this.#thrownOut(error);
        failures += 1;
        if (this.live) {
          this.live = false;
          this.#changed();
        }
      }
      const normal = document.visibilityState === "visible" ? LOOK_MS : LOOK_HIDDEN_MS;
      wait = Math.min(30_000, normal * 2 ** Math.min(failures, 4));
    }
  }

  #take(pending: Card[]): void {
    const before = this.pending;
    const same = this.live && before !== null && JSON.stringify(before) === JSON.stringify(pending);
    this.live = true;
    if (same) return;
    this.pending = pending;
    const open = new Set(pending.map((card) => card.interrupt_id));
    const left = (before ?? []).filter((card) => !open.has(card.interrupt_id) && !this.#ours.has(card.interrupt_id));
    if (left.length) void this.#learn(left);
    this.#changed();
  }

  /** By whom and when these cards were settled, from the history: asked once, however many they are. */
  async #learn(cards: Card[]): Promise<void> {
    const owner = this.owner;
    if (!owner) return;
    const pages = await Promise.all(
      SETTLED.map((status) => owner.settled(status, { limit: 100 }).catch(() => ({ items: [], next: null }))),
    );
    const settled = new Map(pages.flatMap((page) => page.items).map((card) => [card.interrupt_id, card]));
    for (const card of cards) {
      this.gone.set(card.interrupt_id, settled.get(card.interrupt_id) ?? { ...card, status: "orphaned", decided_by: null });
    }
    this.pending = (this.pending ?? []).filter((card) => !this.gone.has(card.interrupt_id));
    this.#changed();
  }

  #thrownOut(error: SaysoError): void {
    this.refusal = error;
    this.signOut();
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }
}

function keptToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, token);
  } catch {
    // Blocked: it lives as long as the page.
  }
}
