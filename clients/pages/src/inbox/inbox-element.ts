/** The owner's page: sign-in, the views, the live queue, the keyboard. */

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import { AdminDisabledError, AuthenticationError, SaysoError, type Card } from "sayso-client";

import { Element } from "../shared/element.js";
import { icons } from "../shared/icons.js";
import {
  language, preferredLanguage, preferredTheme, remember, t, useLanguage, useTheme, type Theme,
} from "../shared/language.js";
import { languages, type LanguageCode } from "../shared/strings.js";
import { relative } from "../shared/time.js";
import type { CardElement } from "./card-element.js";
import { Desk } from "./desk.js";
import type { GapsElement } from "./gaps-element.js";
import { doubts, revealed } from "./reveal.js";
import { empty, loading, timeAgo, toolTitle } from "./parts.js";
import { w } from "./words.js";

const VIEWS = ["queue", "history", "threads", "messages", "gaps", "effects", "stats"] as const;
type View = (typeof VIEWS)[number];

const ICONS: Record<View, TemplateResult> = {
  queue: icons.inbox, history: icons.check, threads: icons.chat, messages: icons.mail, gaps: icons.question,
  effects: icons.doubt, stats: icons.chart,
};
const SOON_MS = 86_400_000;

export class InboxElement extends Element {
  static override properties = {
    view: { state: true }, chosen: { state: true }, toast: { state: true }, help: { state: true },
    theme: { state: true }, wrong: { state: true }, signingIn: { state: true },
  };
  declare view: View;
  /** Of the queue: the interrupt looked at. Of the conversations: the thread. */
  declare chosen: string;
  declare toast: string;
  declare help: boolean;
  declare theme: Theme;
  declare wrong: string;
  declare signingIn: boolean;

  readonly #owner = document.documentElement.dataset["owner"] ?? "";
  readonly #desk = new Desk();
  /** The card on the screen, kept when it leaves the list. */
  #looked: Card | null = null;
  /** Where in the list it stood: the next one takes that place. */
  #place = 0;
  #toastTimer: ReturnType<typeof setTimeout> | undefined;
  #known = new Set<string>();

  constructor() {
    super();
    this.toast = "";
    this.help = false;
    this.wrong = "";
    this.signingIn = false;
    this.theme = preferredTheme();
    const offered = (document.documentElement.dataset["languages"] ?? "en").split(",");
    useLanguage(preferredLanguage(offered));
    useTheme(this.theme);
    this.#route();
    addEventListener("hashchange", () => this.#route());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#desk.addEventListener("change", () => this.#deskChanged());
    setInterval(() => this.requestUpdate(), 30_000);
  }

  #route(): void {
    const [, view = "queue", chosen = ""] = location.hash.split("/");
    this.view = VIEWS.find((known) => known === view) ?? "queue";
    this.chosen = decoded(chosen);
  }

  get #pending(): Card[] {
    return this.#desk.pending ?? [];
  }

  /** How many wait for the owner: not those that ask visitors for their own word. */
  get #waiting(): number {
    return this.#pending.filter((card) => card.approver !== "user").length;
  }

  /** The card that is looked at: the chosen one, also after it was settled elsewhere; without a choice, on a wide screen, the first. */
  get #card(): Card | null {
    if (this.chosen) {
      const open = this.#pending.find((card) => card.interrupt_id === this.chosen);
      return open ?? (this.#looked?.interrupt_id === this.chosen ? this.#looked : null);
    }
    return null;
  }

  override render(): TemplateResult {
    return keyed(
      language,
      html`<div class="inbox" @say=${(event: CustomEvent<string>) => this.#say(event.detail)}>
        ${this.#desk.owner ? this.#desktop() : this.#signIn()}
        <p class="toast" role="status" data-shown=${String(this.toast !== "")}>${this.toast}</p>
      </div>`,
    ) as unknown as TemplateResult;
  }

  #signIn(): TemplateResult {
    return html`<main class="sign-in">
      <form @submit=${this.#enter}>
        <span class="monogram" aria-hidden="true">${icons.inbox}</span>
        <h1>${w().title}</h1>
        <p class="hint">${w().signInMore}</p>
        <div class="field">
          <label for="token">${w().token}</label>
          <input id="token" name="token" type="password" autocomplete="off" required autofocus
            aria-describedby="where-token" aria-invalid=${String(this.wrong !== "")} />
          <p class="hint" id="where-token">${w().whereToken}</p>
        </div>
        ${this.wrong ? html`<div class="problem" role="alert">${icons.warn}<p>${this.wrong}</p></div>` : nothing}
        <button type="submit" class="filled" ?disabled=${this.signingIn}>${this.signingIn ? w().wait : w().signIn}</button>
        <div class="sign-in-foot">${this.#speech()}</div>
      </form>
    </main>`;
  }

  #desktop(): TemplateResult {
    const count = this.#waiting;
    return html`<header class="top">
        <h1><span class="top-owner">${this.#owner}</span> ${w().title}</h1>
        <span class="live" role="status" data-live=${String(this.#desk.live)}><i aria-hidden="true"></i>${this.#desk.live ? w().live : w().offline}</span>
        <span class="spacer"></span>
        ${this.#speech()}
        <button type="button" class="icon-button only-wide" aria-label=${w().shortcuts} title=${w().shortcuts} @click=${() => (this.help = true)}><kbd>?</kbd></button>
        <button type="button" class="quiet" @click=${() => this.#desk.signOut()}>${w().signOut}</button>
      </header>
      <nav class="views" aria-label=${w().title}>
        ${VIEWS.map(
          (view) => html`<a href="#/${view}" aria-current=${this.view === view ? "page" : nothing}>${ICONS[view]}<span>${w().views[view]}</span>
            ${view === "queue" && count ? html`<b class="count">${count}<span class="sr-only"> ${w().waitingCount(count)}</span></b>` : nothing}</a>`,
        )}
      </nav>
      <main class="view" data-view=${this.view} data-chosen=${String(this.chosen !== "")}>${this.#content()}</main>
      <p class="sr-only" role="log" aria-live="polite" id="arrivals"></p>
      ${this.#shortcuts()}`;
  }

  #content(): TemplateResult {
    const owner = this.#desk.owner;
    switch (this.view) {
      case "queue":
        return this.#queue();
      case "history":
        return html`<sayso-history .owner=${owner}></sayso-history>`;
      case "threads":
        return html`<sayso-threads .owner=${owner} .chosen=${this.chosen}></sayso-threads>`;
      case "messages":
        return html`<sayso-messages .owner=${owner}></sayso-messages>`;
      case "gaps":
        return html`<sayso-gaps .owner=${owner}></sayso-gaps>`;
      case "effects":
        return html`<sayso-effects .owner=${owner}></sayso-effects>`;
      case "stats":
        return html`<sayso-stats .owner=${owner}></sayso-stats>`;
    }
  }

  #queue(): TemplateResult {
    if (this.#desk.pending === null) return html`<div class="page">${loading()}</div>`;
    const card = this.#card;
    if (this.#pending.length === 0 && !card) {
      return html`<div class="page">${empty(icons.inbox, w().emptyQueue, w().emptyQueueMore)}</div>`;
    }
    // With hundreds of rows, only those that changed are drawn again; their times twice a minute.
    const tick = Math.floor(Date.now() / 30_000);
    return html`<div class="split">
      <ul class="queue" aria-label=${w().views.queue}>
        ${repeat(this.#pending, (row) => row.interrupt_id, (row) =>
          guard([row, row.interrupt_id === this.chosen, tick], () => this.#row(row)))}
      </ul>
      <div class="detail">
        <a class="back only-narrow" href="#/queue">${icons.back}${w().back}</a>
        ${card
          ? html`<sayso-card .card=${card} .settled=${this.#settledCard(card)} .desk=${this.#desk} @decided=${this.#decided}></sayso-card>`
          : html`<p class="pick">${w().pick}</p>`}
      </div>
    </div>`;
  }

  #settledCard(card: Card): Card | null {
    const isOpen = this.#pending.some((other) => other.interrupt_id === card.interrupt_id);
    return isOpen ? null : (this.#desk.gone.get(card.interrupt_id) ?? card);
  }

  #row(card: Card): TemplateResult {
    const soon = card.expires_at !== null && Date.parse(card.expires_at) - Date.now() < SOON_MS;
    const suspicious = doubts([card.visitor_message, card.tool_calls.map((call) => call.input)], card.warnings).length > 0;
    return html`<li><a href="#/queue/${card.interrupt_id}" aria-current=${this.chosen === card.interrupt_id ? "true" : nothing}>
      <span class="queue-top"><b>${toolTitle(card.tool_calls[0]?.name ?? "")}</b><span class="hint">${timeAgo(card.created_at)}</span></span>
      <span class="queue-text">${revealed(card.visitor_message)}</span>
      <span class="queue-signs">
        ${card.expires_at && soon ? html`<span class="sign" data-soon>${icons.clock}${w().expires} ${relative(card.expires_at)}</span>` : nothing}
        ${card.approver === "user" ? html`<span class="sign" data-visitor>${icons.chat}${w().visitorAskedSign}</span>` : nothing}
        ${suspicious ? html`<span class="sign" data-warn>${icons.warn}${w().warnings["title"]}</span>` : nothing}
      </span>
    </a></li>`;
  }

  #speech(): TemplateResult {
    const next: LanguageCode = language === "en" ? "nl" : "en";
    const themes: Theme[] = ["auto", "light", "dark"];
    const after = themes[(themes.indexOf(this.theme) + 1) % themes.length] ?? "auto";
    return html`<button type="button" class="quiet small" lang=${next} title=${languages[next].name} @click=${() => this.#speak(next)}>${next.toUpperCase()}<span class="sr-only"> ${languages[next].name}</span></button>
      <button type="button" class="quiet small" aria-label="${t.appearance}: ${t.themes[this.theme]}" @click=${() => this.#look(after)}>${t.themes[this.theme]}</button>`;
  }

  #shortcuts(): TemplateResult | typeof nothing {
    if (!this.help) return nothing;
    return html`<dialog class="help" aria-labelledby="help-title" @close=${() => (this.help = false)}>
      <form method="dialog"><h2 id="help-title">${w().shortcuts}</h2>
        <dl class="keys">${Object.entries(w().keys).map(([key, what]) => html`<div><dt><kbd>${key === "Escape" ? "Esc" : key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
        <div class="row"><button type="submit" class="quiet" autofocus>${t.close}</button></div>
      </form></dialog>`;
  }

  protected override updated(changed: PropertyValues): void {
    const help = this.querySelector<HTMLDialogElement>("dialog.help");
    if (changed.has("help") && help && !help.open) help.showModal();
    const count = this.#waiting;
    document.title = `${count ? `(${count}) ` : ""}${w().title} · ${this.#owner}`;
    const card = this.#card;
    if (card) this.#looked = card;
    const place = this.#pending.findIndex((other) => other.interrupt_id === this.chosen);
    if (place >= 0) this.#place = place;
    if (changed.has("chosen") && this.view === "queue" && this.chosen) {
      const current = this.querySelector<HTMLElement>(".queue [aria-current]");
      current?.scrollIntoView({ block: "nearest" });
    }
  }

  #deskChanged(): void {
    const { refusal } = this.#desk;
    if (refusal && !this.#desk.owner) {
      this.wrong = refusal instanceof AdminDisabledError ? w().disabled : w().wrongToken;
      this.#desk.refusal = null;
    }
    const fresh = this.#pending.filter((card) => !this.#known.has(card.interrupt_id));
    if (fresh.length && this.#known.size) {
      const log = this.querySelector("#arrivals");
      if (log) log.textContent = fresh.map((card) => `${toolTitle(card.tool_calls[0]?.name ?? "")}: ${card.visitor_message}`).join(". ");
    }
    for (const card of this.#pending) this.#known.add(card.interrupt_id);
    // On a wide screen something is always open; on a narrow one the list comes first.
    if (!this.chosen && this.view === "queue" && this.#pending[0] && matchMedia("(min-width: 52rem)").matches) {
      this.#open(this.#pending[0]);
    }
    this.requestUpdate();
  }

  #open(card: Card | undefined): void {
    const target = card ? `#/queue/${card.interrupt_id}` : "#/queue";
    history.replaceState(null, "", target);
    this.#route();
  }

  #decided(event: CustomEvent<{ card: Card; status: Card["status"] }>): void {
    const { card, status } = event.detail;
    this.#say(w().done[status]);
    const rest = this.#pending.filter((other) => other.interrupt_id !== card.interrupt_id);
    this.#looked = null;
    const wide = matchMedia("(min-width: 52rem)").matches;
    this.#open(wide ? rest[Math.min(this.#place, rest.length - 1)] : undefined);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("#card-title")?.focus());
  }

  #key(event: KeyboardEvent): void {
    if (!this.#desk.owner || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const card = this.querySelector<CardElement>("sayso-card");
    if (this.querySelector("dialog[open]")) return;
    const gaps = this.querySelector<GapsElement>("sayso-gaps");
    if (event.key === "Escape" && gaps?.leave()) return;
    if (event.key === "Escape" && card?.leave()) return void card.querySelector<HTMLElement>("#card-title")?.focus();
    if (target.matches("input, textarea, select, [contenteditable]")) return;
    const keys: Record<string, () => void> = { "?": () => (this.help = true) };
    if (this.view === "queue") {
      keys["j"] = () => this.#step(1);
      keys["k"] = () => this.#step(-1);
      keys["a"] = () => card?.ask("approve");
      keys["e"] = () => card?.edit();
      keys["r"] = () => card?.ask("decline");
    }
    if (gaps) {
      keys["j"] = () => gaps.step(1);
      keys["k"] = () => gaps.step(-1);
      keys["a"] = () => gaps.answer();
    }
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #step(by: number): void {
    const place = this.#pending.findIndex((card) => card.interrupt_id === this.chosen);
    const next = this.#pending[Math.min(Math.max(place + by, 0), this.#pending.length - 1)];
    if (!next) return;
    this.#open(next);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("#card-title")?.focus());
  }

  async #enter(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token") ?? "").trim();
    this.signingIn = true;
    this.wrong = "";
    try {
      await this.#desk.signIn(token);
    } catch (error) {
      if (!(error instanceof SaysoError)) throw error;
      this.wrong =
        error instanceof AdminDisabledError ? w().disabled
        : error instanceof AuthenticationError ? w().wrongToken
        : error.message;
    } finally {
      this.signingIn = false;
    }
  }

  #speak(code: LanguageCode): void {
    useLanguage(code);
    remember("sayso.language", code);
    this.requestUpdate();
  }

  #look(theme: Theme): void {
    this.theme = theme;
    useTheme(theme);
    remember("sayso.theme", theme === "auto" ? null : theme);
  }

  #say(text: string): void {
    this.toast = text;
    clearTimeout(this.#toastTimer);
    this.#toastTimer = setTimeout(() => (this.toast = ""), 5000);
  }
}

/** What an address names; nothing where it is no address of ours. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
customElements.define("sayso-inbox", InboxElement);
