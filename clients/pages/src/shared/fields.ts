/** Names and values of a tool's arguments, for people. */

import { t } from "./language.js";

/** "sender_contact" as "Reply to", an unknown one as its own words. */
export function fieldName(name: string): string {
  const known = Object.hasOwn(t.fields, name) ? t.fields[name] : undefined;
  if (known) return known;
  const words = name.replace(/[_-]+/g, " ").trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}

/** A value as text. Strings stay as they are. */
export function shownValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return value ? t.yes : t.no;
    case "number":
      return String(value);
    default:
      return value === null || value === undefined ? t.none : JSON.stringify(value, null, 2);
  }
}

const ORDER = ["to", "subject", "message", "sender_contact"];

/** Arguments in the order people read them; a database keeps none. */
export function inOrder(values: Record<string, unknown>, names: readonly string[] = ORDER): [string, unknown][] {
  const place = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.entries(values).sort(([a], [b]) => place(a) - place(b));
}
