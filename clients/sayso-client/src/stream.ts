/** From bytes to events, and a pause that ends early when the network is back. */

import type { Numbered, SaysoEvent } from "./events.js";
import { eventShapes } from "./events.js";
import { NetworkError } from "./errors.js";
import { cut } from "./http.js";
import { MessageParser, type Message } from "./sse.js";

/** Chunks of text as they come. Throws a NetworkError when the stream breaks or is silent for too long. */
export async function* chunks(
  response: Response,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    while (true) {
      const read = await withinSilence(reader.read(), silenceMs).catch((error: unknown) => {
        throw error instanceof NetworkError ? error : cut(error, signal);
      });
      if (read.done) return;
      yield read.value;
    }
  } finally {
    // Also closes the connection when the reader stops in the middle.
    reader.cancel().catch(() => undefined);
  }
}

/** SSE messages of a response. */
export async function* messages(
  response: Response,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
  const parser = new MessageParser();
  for await (const chunk of chunks(response, silenceMs, signal)) yield* parser.feed(chunk);
}

/** The event in a message; undefined for one this version does not know. */
export function asEvent(message: Message): Numbered | undefined {
  const event = JSON.parse(message.data) as SaysoEvent;
  if (!Object.hasOwn(eventShapes, event.type)) return undefined;
  const seq = message.id === undefined || message.id === "" ? null : Number(message.id);
  return { ...event, seq };
}

/** Lines of a response, for newline-delimited JSON. */
export async function* lines(
  response: Response,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks(response, silenceMs, signal)) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part.trim()) yield part;
  }
  if (rest.trim()) yield rest;
}

/**
 * Returns after `ms`, or as soon as the browser says that it is online again. While it says it is offline, the time
 * does not run. Throws the signal's reason when aborted.
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const browser = typeof addEventListener === "function" && typeof navigator === "object" ? globalThis : undefined;
  const offline = browser !== undefined && navigator.onLine === false;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(finish, offline ? 60_000 : ms);
    function finish(): void {
      clearTimeout(timer);
      browser?.removeEventListener("online", finish);
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    function stop(): void {
      finish();
      reject(signal?.reason as Error);
    }
    browser?.addEventListener("online", finish);
    signal?.addEventListener("abort", stop);
  });
  signal?.throwIfAborted();
}

async function withinSilence<T>(read: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NetworkError("The server has gone silent.")), ms);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}
