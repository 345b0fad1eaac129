/** Times in words. */

import { language } from "./language.js";

/** Units, what one of them is in milliseconds, and half of the next smaller one. */
const UNITS: [Intl.RelativeTimeFormatUnit, number, number][] = [
  ["day", 86_400_000, 1_800_000],
  ["hour", 3_600_000, 30_000],
  ["minute", 60_000, 500],
];

/**
 * "2 minutes ago", "in 6 days", "now". What lies ahead is rounded, what is past is whole: "in 7 days" and "6 days ago" read
 * as people count. A day is 24 hours, so it is "1 day ago" and never "yesterday", which depends on where midnight was.
 */
export function relative(time: string | number, now: number = Date.now()): string {
  const away = new Date(time).getTime() - now;
  for (const [unit, ms, half] of UNITS) {
    if (away >= ms - half) return words("always").format(Math.round(away / ms), unit);
    if (away <= -ms) return words("always").format(Math.trunc(away / ms), unit);
  }
  return words("auto").format(0, "second");
}

function words(numeric: "always" | "auto"): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(language, { numeric, style: "long" });
}

/** "30 Nov, 21:54", with the year when it is another one. */
export function exact(time: string | number): string {
  const date = new Date(time);
  const year = date.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(locale(), {
    day: "numeric", month: "short", year, hour: "2-digit", minute: "2-digit",
  }).format(date);
}

/** The browser's own variant of the language in use: "en-GB" rather than "en". */
function locale(): string {
  return navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
}

/** "4 min", "3 h", "2 d": a span of milliseconds, short. */
export function span(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_570_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 86_220_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return `${(ms / 86_400_000).toFixed(1)} d`;
}
