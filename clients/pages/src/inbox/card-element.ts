/** One card with everything needed to decide, and the ways to decide. */

import { html, nothing, type TemplateResult } from "lit";
import type { Card, Decision, SaysoError, ShownMessage } from "sayso-client";

import { Element } from "../shared/element.js";
import { fieldName, shownValue } from "../shared/fields.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact, relative } from "../shared/time.js";
import type { Desk } from "./desk.js";
import { changes } from "./diff.js";
import { formFields } from "./form.js";
import { settledBy } from "./lists.js";
import { argumentList, statusBadge, timeAgo, toolTitle, transcript } from "./parts.js";
import { doubts, revealed } from "./reveal.js";
import { w } from "./words.js";

const LAST_SHOWN = 4;
const LONGEST_NOTE = 500;

type Asking = "approve" | "decline" | "clear" | null;

export class CardElement extends Element {
  static override properties = {
    card: { attribute: false }, settled: { attribute: false }, messages: { state: true }, all: { state: true },
    draft: { state: true }, asking: { state: true }, note: { state: true }, working: { state: true },
    failure: { state: true }, invalid: { state: true },
  };
  declare card: Card;
  /** What became of it, when it was settled elsewhere. */
  declare settled: Card | null;
  declare desk: Desk;
  declare messages: ShownMessage[] | null;
  declare all: boolean;
  /** The arguments as edited; null: not editing. */
  declare draft: Record<string, unknown> | null;
  declare asking: Asking;
  declare note: string;
  declare working: boolean;
  declare failure: SaysoError | null;
  declare invalid: ReadonlySet<string>;
  #reading: AbortController | null = null;

  override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get("card") as Card | undefined;
    if (changed.has("card") && before?.interrupt_id !== this.card.interrupt_id) this.#begin();
  }

  #begin(): void {
    this.messages = null;
    this.all = false;
    this.draft = null;
    this.asking = null;
    this.note = "";
    this.working = false;
    this.failure = null;
    this.invalid = new Set();
    this.#reading?.abort();
    const abort = (this.#reading = new AbortController());
    this.desk
      .ask(this.card, abort.signal)
      .then((thread) => (this.messages = thread.transcript))
      .catch(() => {
        // Settled meanwhile, or the network: the desk says so; the card shows what it has.
        if (!abort.signal.aborted) this.messages = [];
      });
  }

  get #input(): Record<string, unknown> {
    return this.card.tool_calls[0]?.input ?? {};
  }

  get #edited(): boolean {
    return this.draft !== null && JSON.stringify(this.draft) !== JSON.stringify(this.#input);
  }

  /** For the keyboard: what the buttons do. */
  ask(what: Asking): void {
    if (this.settled || this.working || this.invalid.size > 0) return;
    if (what === "approve" && this.draft && !this.#valid()) return;
    this.asking = what;
    this.failure = null;
  }

  edit(): void {
    if (this.settled || this.working) return;
    this.draft ??= structuredClone(this.#input);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".form input, .form textarea, .form select")?.focus());
  }

  /** Leaves editing; true when there was something to leave. */
  leave(): boolean {
    if (this.draft === null) return false;
    this.draft = null;
    this.invalid = new Set();
    return true;
  }

  override render(): TemplateResult {
    const { card, settled } = this;
    const call = card.tool_calls[0];
    const warnings = doubts([card.visitor_message, this.draft ?? this.#input, card.message], card.warnings);
    return html`<article class="card" aria-labelledby="card-title">
      <header class="card-head">
        <div>
          <h2 id="card-title" tabindex="-1">${toolTitle(call?.name ?? "")}</h2>
          <p class="hint">${w().age} ${timeAgo(card.created_at)} · ${this.#expiry()}</p>
        </div>
        ${statusBadge(settled?.status ?? "pending")}
      </header>
      ${settled ? this.#elsewhere(settled) : nothing}
      ${card.approver === "user" && !settled ? this.#visitorAsked() : nothing}
      ${warnings.length && !settled ? this.#warnings(warnings) : nothing}
      <section>
        <h3>${w().asks}</h3>
        <p class="asked">${revealed(card.message)}</p>
      </section>
      <section class="exact">
        <h3>${this.draft ? w().editing : w().exactly}</h3>
        ${this.draft ? this.#form(this.draft) : argumentList(this.#input)}
        ${this.#edited && this.draft ? this.#changes(this.draft) : nothing}
      </section>
      ${this.#conversation()}
      ${this.failure ? html`<div class="problem" role="alert">${icons.warn}<p>${w().invalid} ${this.failure.message}</p></div>` : nothing}
      ${settled ? nothing : this.#buttons()}
      ${this.#dialog()}
    </article>`;
  }

  #expiry(): TemplateResult {
    const { expires_at } = this.card;
    if (!expires_at) return html`${w().never}`;
    const over = Date.parse(expires_at) <= Date.now();
    return over ? html`${w().expired}` : html`${w().expires} <time datetime=${expires_at} title=${exact(expires_at)}>${relative(expires_at)}</time>`;
  }

  #elsewhere(settled: Card): TemplateResult {
    const at = settled.decided_at ?? settled.expires_at;
    return html`<div class="elsewhere" role="status">
      ${statusBadge(settled.status)}
      <div><b>${w().decidedElsewhereTitle}</b>
        <p>${settled.decided_by || settled.status === "withdrawn" || settled.status === "expired"
          ? w().decidedElsewhere(t.request.status[settled.status], settledBy(settled), at ? `${relative(at)} (${exact(at)})` : "")
          : w().settledMeanwhile}</p>
        ${settled.note ? html`<p>${w().note}: ${revealed(settled.note)}</p>` : nothing}
      </div>
    </div>`;
  }

  #visitorAsked(): TemplateResult {
    return html`<div class="elsewhere" role="note"><div><b>${w().visitorAsked}</b><p>${w().visitorAskedMore}</p></div></div>`;
  }

  #warnings(warnings: string[]): TemplateResult {
    return html`<div class="warnings" role="note"><b>${icons.warn}${w().warnings["title"]}</b>
      <ul>${warnings.map((slug) => html`<li>${w().warnings[slug] ?? fieldName(slug)}</li>`)}</ul></div>`;
  }

  #form(draft: Record<string, unknown>): TemplateResult {
    const change = (name: string, value: unknown): void => {
      const invalid = new Set(this.invalid);
      if (value === undefined) invalid.add(name);
      else {
        invalid.delete(name);
        this.draft = { ...draft, ...this.draft, [name]: value };
      }
      this.invalid = invalid;
    };
    return html`<form class="form" novalidate @submit=${(event: Event) => { event.preventDefault(); this.ask("approve"); }}>
      ${formFields(draft, this.card.tool_calls[0]?.parameters, change, this.invalid)}
    </form>`;
  }

  #changes(draft: Record<string, unknown>): TemplateResult {
    const input = this.#input;
    const names = Object.keys(draft).filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(input[name]));
    return html`<div class="changes"><h3>${w().changes}</h3><dl class="fields">
      ${names.map(
        (name) => html`<div><dt>${fieldName(name)}</dt><dd>${changes(shownValue(input[name]), shownValue(draft[name])).map((part) =>
          part.kind === "same" ? revealed(part.text)
          : part.kind === "gone" ? html`<del>${revealed(part.text)}</del>`
          : html`<ins>${revealed(part.text)}</ins>`,
        )}</dd></div>`,
      )}
    </dl></div>`;
  }

  #conversation(): TemplateResult {
    const messages = this.messages ?? [];
    const shown = this.all ? messages : messages.slice(-LAST_SHOWN);
    return html`<section>
      <h3>${messages.length ? w().transcript : w().said}</h3>
      ${messages.length ? transcript(shown) : html`<p class="asked">${revealed(this.card.visitor_message)}</p>`}
      ${messages.length > LAST_SHOWN
        ? html`<button type="button" class="quiet" aria-expanded=${String(this.all)} @click=${() => (this.all = !this.all)}>
            ${this.all ? w().hideTranscript : w().showTranscript(messages.length)}</button>`
        : nothing}
    </section>`;
  }

  #buttons(): TemplateResult {
    const off = this.working;
    return html`<footer class="decide">
      <button type="button" class="quiet subtle" ?disabled=${off} title=${w().cancelRequest} aria-label=${w().cancelRequest} @click=${() => this.ask("clear")}>${w().clear}</button>
      <span class="spacer"></span>
      ${this.draft
        ? html`<button type="button" class="quiet" ?disabled=${off} @click=${() => this.leave()}>${w().undoEdit}</button>`
        : html`<button type="button" class="quiet" ?disabled=${off} @click=${() => this.edit()}>${icons.edit}${w().edit}<kbd>e</kbd></button>`}
      <button type="button" class="quiet" ?disabled=${off} @click=${() => this.ask("decline")}>${w().decline}<kbd>r</kbd></button>
      <button type="button" class="filled" ?disabled=${off || this.invalid.size > 0} @click=${() => this.ask("approve")}>
        ${icons.check}${off ? w().wait : this.#edited ? w().approveEdited : w().approve}<kbd>a</kbd></button>
    </footer>`;
  }

  #dialog(): TemplateResult | typeof nothing {
    const { asking } = this;
    if (!asking) return nothing;
    const instead = this.card.approver === "user" ? w().insteadOfVisitor : "";
    const words = {
      approve: { title: w().approveAsk, more: `${instead} ${w().approveAskMore}`, button: this.#edited ? w().approveEdited : w().approve },
      decline: { title: w().declineAsk, more: instead, button: w().decline },
      clear: { title: `${w().cancelRequest}?`, more: w().cancelMore, button: w().cancelRequest },
    }[asking];
    const left = LONGEST_NOTE - [...this.note].length;
    return html`<dialog aria-labelledby="ask-title" @close=${() => (this.asking = null)} @keydown=${this.#sendOnCtrlEnter}>
      <form method="dialog" @submit=${this.#decide}>
        <h2 id="ask-title">${words.title}</h2>
        ${words.more ? html`<p>${words.more}</p>` : nothing}
        ${asking === "clear"
          ? nothing
          : html`<div class="field">
              <label for="note">${w().note} <span class="hint">(${w().optional})</span></label>
              <textarea id="note" rows="3" .value=${this.note} aria-describedby="note-more" ?autofocus=${asking === "decline"}
                @input=${(event: Event) => (this.note = (event.target as HTMLTextAreaElement).value)}></textarea>
              <p class="hint" id="note-more">${w().noteMore} ${w().noteLeft(left)}</p>
            </div>`}
        <div class="row">
          <button type="button" class="quiet" @click=${this.#close}>${t.cancel}</button>
          <button type="submit" class="filled ${asking === "decline" ? "danger" : ""}" ?disabled=${left < 0} ?autofocus=${asking !== "decline"}>${words.button}</button>
        </div>
      </form>
    </dialog>`;
  }

  protected override updated(changed: Map<string, unknown>): void {
    const dialog = this.querySelector("dialog");
    if (changed.has("asking") && this.asking && dialog && !dialog.open) dialog.showModal();
    // Somebody was faster while the question was on the screen.
    if (changed.has("settled") && this.settled && this.asking) dialog?.close();
  }

  #close(): void {
    this.querySelector("dialog")?.close();
  }

  #sendOnCtrlEnter(event: KeyboardEvent): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.querySelector<HTMLFormElement>("dialog form")?.requestSubmit();
  }

  #valid(): boolean {
    const form = this.querySelector<HTMLFormElement>("form.form");
    return form?.reportValidity() ?? true;
  }

  async #decide(event: Event): Promise<void> {
    event.preventDefault();
    const { asking } = this;
    if (!asking || this.working) return;
    this.working = true;
    this.#close();
    const note = this.note.trim() ? { note: this.note } : {};
    const edits = this.#edited && this.draft ? { arguments: this.draft } : {};
    const decision: Decision =
      asking === "clear" ? { resume: null }
      : asking === "approve" ? { approved: true, ...note, ...edits }
      : { approved: false, ...note };
    const { card } = this;
    const result = await this.desk.decide(card, decision);
    this.working = false;
    if (result.kind === "refused") {
      this.failure = result.error;
      return;
    }
    if (result.kind === "settled") {
      this.dispatchEvent(new CustomEvent("decided", { detail: { card, status: result.status }, bubbles: true }));
    }
  }
}
customElements.define("sayso-card", CardElement);
