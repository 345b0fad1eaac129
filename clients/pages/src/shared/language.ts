/** Which language and which appearance, remembered on this device. */

import { languages, type LanguageCode, type Strings } from "./strings.js";

export type Theme = "auto" | "light" | "dark";

/** The words of the language in use. Read it when rendering, never keep it. */
export let t: Strings = languages.en;
export let language: LanguageCode = "en";

export function useLanguage(code: LanguageCode): void {
  language = code;
  t = languages[code];
  document.documentElement.lang = code;
}

/** The remembered one, else the first of the browser's that we know, else the owner's first. */
export function preferredLanguage(offered: readonly string[]): LanguageCode {
  const known = (code: string): code is LanguageCode => Object.hasOwn(languages, code);
  const wanted = [remembered("sayso.language"), ...navigator.languages.map((tag) => tag.slice(0, 2)), ...offered];
  return wanted.filter((code) => code !== null).find(known) ?? "en";
}

export function useTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "auto") root.removeAttribute("data-theme");
  else root.dataset["theme"] = theme;
}

export function preferredTheme(): Theme {
  const theme = remembered("sayso.theme");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Blocked: it lasts as long as the page.
  }
}
