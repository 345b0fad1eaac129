/** Text from strangers, with what it hides made visible. */

import { html, type TemplateResult } from "lit";

const BIDI = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
const HIDDEN = new RegExp(`[${BIDI}]|[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}](?<![\\n\\r\\t])`, "u");
const BIDI_ONLY = new RegExp(`[${BIDI}]`, "u");
const PADDING = /[^\S\n]{40,}|\s{40,}/u;
const MARKUP = /<[a-z!/?]/i;
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
const PARTS = new RegExp(`(${HIDDEN.source}|\\s{40,})`, "u");

/** The text with boxes for characters that can't be seen, and words of mixed alphabets marked. */
export function revealed(text: string): TemplateResult {
  return html`<bdi class="revealed">${text.split(PARTS).map((part, n) => (n % 2 ? box(part) : marked(part)))}</bdi>`;
}

/** What is doubtful in these values, as the server's slugs and one of our own (`markup`). */
export function doubts(values: unknown, fromServer: readonly string[] = []): string[] {
  const found = new Set(fromServer);
  for (const text of texts(values)) {
    if (BIDI_ONLY.test(text)) found.add("bidirectional_characters");
    if (HIDDEN.test(text.replace(new RegExp(BIDI_ONLY.source, "gu"), ""))) found.add("hidden_characters");
    if (PADDING.test(text)) found.add("padding");
    if (text.split(/\s+/).some(isMixed)) found.add("mixed_scripts");
    if (MARKUP.test(text)) found.add("markup");
  }
  return [...found].sort();
}

function box(part: string): TemplateResult {
  if (/^\s{2,}$/u.test(part)) return html`<span class="revealed-box">${[...part].length} × blank</span>`;
  const code = (part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return html`<span class="revealed-box">U+${code}</span>`;
}

function marked(text: string): (string | TemplateResult)[] {
  return text.split(/(\s+)/).map((word) => (isMixed(word) ? html`<mark class="mixed">${word}</mark>` : word));
}

function isMixed(word: string): boolean {
  return SCRIPTS.filter((script) => script.test(word)).length > 1;
}

function* texts(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* texts(item);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield key;
      yield* texts(item);
    }
  }
}
