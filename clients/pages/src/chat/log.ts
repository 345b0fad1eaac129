/** From a thread's events to what a page shows. Pure: the same events give the same blocks, however they came. */

import type { CitationEvent, InterruptEvent, Numbered, Outcome } from "sayso-client";

/** One question, to the owner or to the visitor, with its newest status. */
export interface Request extends Omit<InterruptEvent, "type"> {
  /** As it was when it opened, to tell what the owner changed. */
  asked: Record<string, unknown>;
}

/** What one run showed. */
export interface Block {
  key: string;
  /** The seq of its first event. */
  seq: number;
  pieces: { seq: number; text: string }[];
  citations: CitationEvent[];
  /** Tool calls by id: name, while they run. */
  running: Record<string, string>;
  requests: Request[];
  /** Requests of earlier blocks whose settling began this run. Not empty: this is the ending of an earlier turn. */
  ends: string[];
  outcome: Outcome | null;
  error: { code: string; message: string; retryable: boolean } | null;
  done: boolean;
}

export class Log {
  readonly #events = new Map<number, Numbered>();
  readonly #blocks = new Map<string, Block>();
  #current: string | null = null;
  #last = 0;
  /** Everything up to here is known, so this is where to follow on. */
  contiguous: number;

  /** `after`: where the log begins; an unfinished run right there is left out. */
  constructor(after = 0) {
    this.contiguous = after;
  }

  get blocks(): Block[] {
    return [...this.#blocks.values()].sort((a, b) => a.seq - b.seq);
  }

  get last(): number {
    return this.#last;
  }

  /** Takes an event; false when it was known. Order does not matter, each seq counts once. */
  add(event: Numbered): boolean {
    const { seq } = event;
    if (seq === null || this.#events.has(seq)) return false;
    this.#events.set(seq, event);
    while (this.#events.has(this.contiguous + 1)) this.contiguous += 1;
    if (seq > this.#last) {
      this.#last = seq;
      this.#apply(event, seq);
    } else {
      this.#again();
    }
    return true;
  }

  #again(): void {
    this.#blocks.clear();
    this.#current = null;
    const events = [...this.#events].sort(([a], [b]) => a - b);
    for (const [seq, event] of events) this.#apply(event, seq);
  }

  #apply(event: Numbered, seq: number): void {
    if (event.type === "thread") {
      this.#current = event.run_id;
      const known = this.#blocks.get(event.run_id);
      this.#blocks.set(
        event.run_id,
        known ? { ...known, done: false, error: null } : emptyBlock(event.run_id, seq),
      );
      return;
    }
    if (event.type === "interrupt" && this.#settle(event)) return;
    const block = this.#current === null ? undefined : this.#blocks.get(this.#current);
    if (!block) return;
    const changed = { ...block };
    switch (event.type) {
      case "text":
        changed.pieces = [...block.pieces, { seq, text: event.text }];
        break;
      case "citation":
        changed.citations = [...block.citations.filter((known) => known.n !== event.n), event];
        break;
      case "tool": {
        const { [event.tool_call_id]: _, ...others } = block.running;
        changed.running = event.status === "started" ? { ...others, [event.tool_call_id]: event.name } : others;
        break;
      }
      case "retract":
        this.#retract(event.from_seq);
        return;
      case "interrupt":
        changed.requests = [...block.requests, { ...event, asked: event.arguments }];
        break;
      case "meta":
        changed.outcome = event.outcome;
        break;
      case "error":
        changed.error = event;
        break;
      case "done":
        changed.done = true;
        changed.running = {};
        this.#current = null;
        break;
      case "approval":
      case "trace":
      case "reset":
        return;
      default:
        event satisfies never;
    }
    this.#blocks.set(block.key, changed);
  }

  /** A question that is known gets its new status; true when it was known. */
  #settle(event: InterruptEvent): boolean {
    for (const block of this.#blocks.values()) {
      if (!block.requests.some((known) => known.interrupt_id === event.interrupt_id)) continue;
      const requests = block.requests.map((known) =>
        known.interrupt_id === event.interrupt_id ? { ...event, asked: known.asked } : known,
      );
      this.#blocks.set(block.key, { ...block, requests });
      const current = this.#current === null ? undefined : this.#blocks.get(this.#current);
      if (current && current.key !== block.key) {
        this.#blocks.set(current.key, { ...current, ends: [...current.ends, event.interrupt_id] });
      }
      return true;
    }
    return false;
  }

  #retract(from: number): void {
    for (const block of this.#blocks.values()) {
      if (block.pieces.some((piece) => piece.seq >= from)) {
        this.#blocks.set(block.key, { ...block, pieces: block.pieces.filter((piece) => piece.seq < from) });
      }
    }
  }
}

export function textOf(block: Block): string {
  return block.pieces.map((piece) => piece.text).join("");
}

function emptyBlock(key: string, seq: number): Block {
  return {
    key, seq, pieces: [], citations: [], running: {}, requests: [], ends: [], outcome: null, error: null, done: false,
  };
}
