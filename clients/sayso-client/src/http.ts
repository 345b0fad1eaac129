/** The one door to the network. */

import { errorFrom, NetworkError, ProtocolError } from "./errors.js";
import type { TokenStore } from "./tokens.js";

export interface Options {
  /** Where the twin is: `https://twin.example`. Default: the page's own origin. */
  url?: string;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** A stream that is silent for longer (heartbeats count) is taken for dead. Milliseconds. */
  silenceMs?: number;
  /** Waits between tries; for tests. */
  backoff?: (attempt: number) => number;
}

export interface Call {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export class Http {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #tokens: TokenStore;
  readonly silenceMs: number;
  readonly backoff: (attempt: number) => number;

  constructor(options: Options, tokens: TokenStore) {
    this.#url = (options.url ?? "").replace(/\/+$/, "");
    this.#fetch = options.fetch ?? ((...given) => globalThis.fetch(...given));
    this.#tokens = tokens;
    this.silenceMs = options.silenceMs ?? 45_000;
    this.backoff = options.backoff ?? backoff;
  }

  /** The body as JSON; `null` when there is none. Throws a `SaysoError`. */
  async json<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const response = await this.open(method, path, call);
    if (response.status === 204) return null as T;
    let body: string;
    try {
      body = await response.text();
    } catch (error) {
      throw cut(error, call.signal);
    }
    try {
      return JSON.parse(body) as T;
    } catch (cause) {
      const problem = { status: response.status, code: "not_json", message: "The answer is not JSON." };
      throw new ProtocolError(problem, { cause });
    }
  }

  /** The response, once it is known to be a good one. Throws a `SaysoError`. */
  async open(method: string, path: string, call: Call = {}): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const token = await this.#tokens.get();
    const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
    if (token) headers["Authorization"] = `Bearer ${token}`;
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    let response: Response;
    try {
      response = await this.#fetch(`${this.#url}${path}${query.size ? `?${query}` : ""}`, {
        method,
        headers,
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: call.signal ?? null,
        cache: "no-store",
      });
    } catch (error) {
      throw cut(error, call.signal);
    }
    if (!response.ok) throw await errorFrom(response);
    return response;
  }
}

/** What a broken connection is called: the abort itself when it was ours, else a NetworkError. */
export function cut(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return new NetworkError("The server can't be reached.", { cause: error });
}

/** Milliseconds before try `attempt` (from 1): 0.5 s doubling to 15 s, the upper half of it by chance. */
export function backoff(attempt: number): number {
  const most = Math.min(15_000, 500 * 2 ** (attempt - 1));
  return most / 2 + (Math.random() * most) / 2;
}
