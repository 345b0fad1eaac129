/** The whole chat: header, conversation, composer. The same in the page and in the widget's frame. */

import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import { AuthenticationError, ForbiddenError, SaysoError } from "sayso-client";

import { Element } from "../shared/element.js";
import { icons } from "../shared/icons.js";
import {
  language, preferredLanguage, preferredTheme, remember, t, useLanguage, useTheme, type Theme,
} from "../shared/language.js";
import { languages, type LanguageCode } from "../shared/strings.js";
import type { ComposerElement } from "./composer-element.js";
import { Conversation, secondsToWait } from "./conversation.js";
import type { Block } from "./log.js";
import { requestTitle, statusWord } from "./request-words.js";
import { findHost, type Host } from "./host.js";
import { canStore, hostStorage, ownStorage } from "./storage.js";

const AT_THE_END_PX = 80;
const NEAR_THE_TOP_PX = 300;
/** Turns rendered at first, and with each step further up. */
const STEP = 60;

export class ChatElement extends Element {
  static override properties = {
    toast: { state: true }, scrolledUp: { state: true }, theme: { state: true }, asking: { state: true }, shown: { state: true },
  };
  declare toast: string;
  declare scrolledUp: boolean;
  declare theme: Theme;
  /** The question about forgetting is open. */
  declare asking: boolean;
  /** How many of the newest turns are on the page. */
  declare shown: number;

  readonly #owner = document.documentElement.dataset["owner"] ?? "";
  readonly #offered = (document.documentElement.dataset["languages"] ?? "en").split(",");
  readonly #isWidget = document.documentElement.dataset["mode"] === "widget";
  #conversation: Conversation | null = null;
  #host: Host | null = null;
  #announced = new Map<string, string>();
  #heard = new Map<string, Block>();
  #toastTimer: ReturnType<typeof setTimeout> | undefined;
  #wasConnected = true;
  #lastTop = 0;
  readonly #growth = new ResizeObserver(() => this.#stay());

  constructor() {
    super();
    this.toast = "";
    this.scrolledUp = false;
    this.asking = false;
    this.shown = STEP;
    this.theme = preferredTheme();
    useLanguage(preferredLanguage(this.#offered));
    useTheme(this.theme);
    document.title = t.twinOf(this.#owner);
    void this.#begin();
  }

  async #begin(): Promise<void> {
    const mayStore = canStore();
    this.#host = this.#isWidget ? await findHost(mayStore) : null;
    const host = this.#host;
    if (host) {
      host.applyVariables();
      if (host.config.theme && preferredTheme() === "auto") useTheme((this.theme = host.config.theme));
      if (isLanguage(host.config.language)) useLanguage(host.config.language);
      document.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !this.querySelector("dialog[open]")) host.close();
      });
      host.onOpened(() => {
        this.#conversation && host.state({ waiting: this.#conversation.waiting, news: false });
        this.#composer?.focus();
      });
    }
    const memory = host && !mayStore ? hostStorage(host) : ownStorage(host?.origin);
    const conversation = (this.#conversation = new Conversation(memory));
    conversation.addEventListener("change", () => this.#changed(conversation));
    await conversation.load();
    this.requestUpdate();
    if (!this.#isWidget && matchMedia("(pointer: fine)").matches) {
      await this.updateComplete;
      this.#composer?.focus();
    }
  }

  get #composer(): ComposerElement | null {
    return this.querySelector("sayso-composer");
  }

  get #scroller(): HTMLElement | null {
    return this.querySelector(".scroller");
  }

  override render(): TemplateResult {
    return keyed(
      language,
      html`<div class="chat" @say=${(event: CustomEvent<string>) => this.#say(event.detail)}>
        ${this.#header()} ${this.#body()}
        <footer class="dock">
          ${this.#notice()}
          ${this.scrolledUp
            ? html`<button type="button" class="latest" @click=${() => this.#toEnd("smooth")}>${icons.arrowDown}${t.latest}</button>`
            : nothing}
          <sayso-composer ?busy=${this.#conversation?.busy ?? false}
            @send=${(event: CustomEvent<string>) => this.#send(event.detail)}
            @stop=${() => this.#conversation?.stop()}></sayso-composer>
        </footer>
        ${this.#dialog()}
        <p class="toast" role="status" data-shown=${String(this.toast !== "")}>${this.toast}</p>
      </div>`,
    ) as unknown as TemplateResult;
  }

  #header(): TemplateResult {
    const owner = this.#owner;
    return html`<header class="bar">
      <span class="monogram" aria-hidden="true">${initials(owner)}</span>
      <div class="who"><h1>${t.twinOf(owner)}</h1><p>${t.promise}</p></div>
      <details class="menu" @keydown=${closeOnEscape} @focusout=${closeWhenLeft}>
        <summary class="icon-button" aria-label=${t.menu} title=${t.menu}>${icons.menu}</summary>
        <div class="sheet">
          <fieldset><legend>${t.language}</legend><div class="choices">
            ${this.#offered.filter(isLanguage).map(
              (code) => html`<button type="button" lang=${code} aria-pressed=${String(code === language)}
                @click=${() => this.#speak(code)}>${languages[code].name}</button>`,
            )}
          </div></fieldset>
          <fieldset><legend>${t.appearance}</legend><div class="choices">
            ${(["auto", "light", "dark"] as const).map(
              (theme) => html`<button type="button" aria-pressed=${String(theme === this.theme)}
                @click=${() => this.#look(theme)}>${t.themes[theme]}</button>`,
            )}
          </div></fieldset>
          <button type="button" class="danger" ?disabled=${!this.#conversation?.threadId}
            @click=${() => (this.asking = true)}>${t.forget}</button>
        </div>
      </details>
      ${this.#host
        ? html`<button type="button" class="icon-button" aria-label=${t.close} title=${t.close} @click=${() => this.#host?.close()}>${icons.cross}</button>`
        : nothing}
    </header>`;
  }

  #body(): TemplateResult {
    const conversation = this.#conversation;
    const phase = conversation?.phase ?? "loading";
    const all = conversation?.turns ?? [];
    const turns = all.slice(-this.shown);
    const empty = phase === "ready" && turns.length === 0 && !conversation?.outgoing;
    return html`<main class="scroller" tabindex="0" aria-label=${t.conversation} @scroll=${this.#scrolled}>
      <div class="column">
        ${phase === "loading" && turns.length === 0 ? html`<div class="skeleton" aria-hidden="true"><i></i><i></i><i></i></div>` : nothing}
        ${phase === "refused" || phase === "unreachable" ? this.#stuck(phase) : nothing}
        ${empty ? this.#welcome() : nothing}
        ${all.length > turns.length
          ? html`<button type="button" class="quiet earlier" @click=${this.#showEarlier}>${t.earlier}</button>`
          : nothing}
        ${repeat(
          turns,
          (turn) => turn.key,
          (turn, n) => html`<sayso-turn .turn=${turn} .owner=${this.#owner} .site=${this.#host?.origin ?? ""}
            ?newest=${n === turns.length - 1} .conversation=${conversation}></sayso-turn>`,
        )}
        ${this.#outgoing()}
      </div>
      <div class="sr-only" role="log" aria-live="polite" aria-relevant="additions"></div>
    </main>`;
  }

  #welcome(): TemplateResult {
    const owner = this.#owner;
    return html`<section class="welcome">
      <span class="monogram large" aria-hidden="true">${initials(owner)}</span>
      <h2>${t.greeting(owner)}</h2>
      <p>${t.greetingMore(owner)}</p>
      <ul class="suggestions">
        ${t.suggestions(owner).map(
          (text) => html`<li><button type="button" class="chip" @click=${() => this.#send(text)}>${text}</button></li>`,
        )}
      </ul>
    </section>`;
  }

  #stuck(phase: "refused" | "unreachable"): TemplateResult {
    return html`<div class="problem" role="alert">
      ${icons.warn}<p>${phase === "refused" ? t.notYours : t.unreachable}</p>
      ${phase === "refused"
        ? html`<button type="button" class="quiet" @click=${() => this.#conversation?.startAnew()}>${t.newConversation}</button>`
        : html`<button type="button" class="quiet" @click=${() => this.#conversation?.load()}>${icons.retry}${t.retry}</button>`}
    </div>`;
  }

  #outgoing(): TemplateResult | typeof nothing {
    const outgoing = this.#conversation?.outgoing;
    if (!outgoing) return nothing;
    const wait = secondsToWait(outgoing.error);
    const { error } = outgoing;
    const isLost = error instanceof AuthenticationError || error instanceof ForbiddenError;
    const why =
      wait !== null ? t.tooMany(wait)
      : error?.code === "network" ? t.unreachable
      : isLost ? t.notYours
      : error?.message;
    return html`<div class="turn">
      <div class="said" data-state=${outgoing.state}>${outgoing.text}</div>
      ${outgoing.state === "sending"
        ? html`<p class="thinking"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>${t.thinking}</p>`
        : html`<div class="problem" role="alert">${icons.warn}<p><b>${t.notSent}.</b> ${why}</p>
            ${isLost
              ? html`<button type="button" class="quiet" @click=${() => this.#conversation?.startAnew()}>${t.newConversation}</button>`
              : html`<button type="button" class="quiet" @click=${() => this.#conversation?.retry()}>${icons.retry}${t.retry}</button>`}
            <button type="button" class="quiet" @click=${() => this.#takeBack(outgoing.text)}>${icons.edit}${t.edit}</button></div>`}
    </div>`;
  }

  #notice(): TemplateResult | typeof nothing {
    const conversation = this.#conversation;
    if (conversation && !conversation.connected && conversation.phase !== "unreachable") {
      return html`<p class="notice" role="status"><span class="pulse" aria-hidden="true"></span>${t.reconnecting}</p>`;
    }
    return nothing;
  }

  #dialog(): TemplateResult | typeof nothing {
    if (!this.asking) return nothing;
    return html`<dialog aria-labelledby="forget-title" aria-describedby="forget-more" @close=${() => (this.asking = false)}>
      <form method="dialog">
        <h2 id="forget-title">${t.forgetAsk}</h2>
        <p id="forget-more">${t.forgetMore}</p>
        <div class="row">
          <button type="submit" class="quiet" autofocus>${t.cancel}</button>
          <button type="button" class="danger filled" @click=${this.#forget}>${t.forget}</button>
        </div>
      </form>
    </dialog>`;
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("asking") && this.asking) this.querySelector("dialog")?.showModal();
    this.#growth.disconnect();
    for (const part of this.querySelectorAll(".column, .scroller")) this.#growth.observe(part);
  }

  #changed(conversation: Conversation): void {
    this.requestUpdate();
    this.#announce(conversation);
    if (conversation.connected && !this.#wasConnected) this.#say(t.back);
    this.#wasConnected = conversation.connected;
  }

  /** Screen readers hear whole answers and new statuses, once each, not every piece. */
  #announce(conversation: Conversation): void {
    const first = this.#announced.size === 0 && !this.querySelector("sayso-turn");
    for (const turn of conversation.turns) {
      const block = turn.block;
      if (!block || this.#heard.get(turn.key) === block) continue;
      this.#heard.set(turn.key, block);
      const statuses = block.requests.map((request) => `${requestTitle(request)}: ${statusWord(request)}.`);
      const text = block.done ? [turn.answer.replace(/\s*\[\d{1,3}\]/g, ""), ...statuses].join(" ") : "";
      const before = this.#announced.get(turn.key);
      if (!text || before === text) continue;
      this.#announced.set(turn.key, text);
      if (first) continue;
      const line = document.createElement("p");
      line.textContent = before === undefined ? text : statuses.join(" ");
      this.querySelector("[role=log]")?.append(line);
      this.#host?.state({ waiting: conversation.waiting, news: true });
    }
  }

  async #send(text: string): Promise<void> {
    this.scrolledUp = false;
    const sending = this.#conversation?.send(text);
    this.#composer?.focus();
    await sending;
    this.#conversation && this.#host?.state({ waiting: this.#conversation.waiting, news: false });
  }

  #takeBack(text: string): void {
    this.#conversation?.discard();
    this.#composer?.fill(text);
  }

  async #forget(): Promise<void> {
    this.querySelector("dialog")?.close();
    this.querySelector<HTMLDetailsElement>(".menu")?.removeAttribute("open");
    try {
      await this.#conversation?.forget();
      this.#announced.clear();
      this.#say(t.forgotten);
      this.#composer?.focus();
    } catch (error) {
      if (!(error instanceof SaysoError)) throw error;
      this.#say(error.status === 0 ? t.unreachable : error.message);
    }
  }

  #speak(code: LanguageCode): void {
    useLanguage(code);
    remember("sayso.language", code);
    document.title = t.twinOf(this.#owner);
    this.requestUpdate();
    void this.updateComplete.then(() => {
      const menu = this.querySelector<HTMLDetailsElement>(".menu");
      if (menu) menu.open = true;
      this.querySelector<HTMLButtonElement>(`.menu [lang=${code}]`)?.focus();
    });
  }

  #look(theme: Theme): void {
    this.theme = theme;
    useTheme(theme);
    remember("sayso.theme", theme === "auto" ? null : theme);
  }

  #say(text: string): void {
    this.toast = text;
    clearTimeout(this.#toastTimer);
    this.#toastTimer = setTimeout(() => (this.toast = ""), 4000);
  }

  /** Only going up by hand leaves the end; growing does not. */
  #scrolled(): void {
    const area = this.#scroller;
    if (!area) return;
    const below = area.scrollHeight - area.scrollTop - area.clientHeight;
    if (below <= AT_THE_END_PX) this.scrolledUp = false;
    else if (area.scrollTop < this.#lastTop) this.scrolledUp = true;
    if (this.scrolledUp && area.scrollTop < NEAR_THE_TOP_PX) this.#showEarlier();
    this.#lastTop = area.scrollTop;
  }

  #showEarlier(): void {
    if (this.shown < (this.#conversation?.turns.length ?? 0)) this.shown += STEP;
  }

  /** Keeps the newest words in sight while the conversation grows, unless the visitor reads further up. */
  #stay(): void {
    if (!this.scrolledUp) this.#toEnd("instant");
  }

  #toEnd(behavior: ScrollBehavior): void {
    const area = this.#scroller;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    area?.scrollTo({ top: area.scrollHeight, behavior: calm ? "instant" : behavior });
  }
}

function initials(name: string): string {
  const words = name.replace(/^the /i, "").split(/\s+/).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words;
  return picked.map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "").join("");
}

function isLanguage(code: string | undefined): code is LanguageCode {
  return code !== undefined && Object.hasOwn(languages, code);
}

function closeOnEscape(this: unknown, event: KeyboardEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement;
  if (event.key !== "Escape" || !menu.open) return;
  event.preventDefault();
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

function closeWhenLeft(event: FocusEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement;
  const to = event.relatedTarget;
  if (to instanceof Node && !menu.contains(to)) menu.open = false;
}
customElements.define("sayso-chat", ChatElement);
