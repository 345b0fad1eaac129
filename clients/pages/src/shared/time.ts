/** Times in words. */

import { language } from "./language.js";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "2 minutes ago", "in 6 days". */
export function relative(time: string | number, now: number = Date.now()): string {
  const away = new Date(time).getTime() - now;
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "long" });
  for (const [unit, ms] of UNITS) {
    // What lies ahead is rounded, what is past is whole: "in 7 days" and "6 days ago" read as people count.
    const count = away > 0 ? Math.round(away / ms) : Math.trunc(away / ms);
    if (count !== 0) return words.format(count, unit);
  }
  return words.format(0, "second");
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
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return `${(ms / 86_400_000).toFixed(1)} d`;
}
