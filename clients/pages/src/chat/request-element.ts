/** The approval card as the visitor sees it: what will be done, by whose word, since when, and what became of it. */

import { html, nothing, type TemplateResult } from "lit";
import { SaysoError } from "sayso-client";

import { Element } from "../shared/element.js";
import { fieldName, inOrder, shownValue } from "../shared/fields.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact, relative } from "../shared/time.js";
import type { Conversation } from "./conversation.js";
import type { Request } from "./log.js";
import { asksVisitor, explanation, isMessage, requestTitle, statusWord, whatItIs } from "./request-words.js";

type Act = "withdraw" | "confirm" | "decline";

export class RequestElement extends Element {
  static override properties = {
    request: { attribute: false }, since: {}, owner: {}, acting: { state: true }, late: { state: true },
  };
  declare request: Request;
  declare since: string;
  declare owner: string;
  declare conversation: Conversation;
  /** What the visitor pressed, while it is on its way. */
  declare acting: Act | null;
  declare late: boolean;
  #clock: ReturnType<typeof setInterval> | undefined;
  #pressed = false;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#clock = setInterval(() => this.requestUpdate(), 30_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override render(): TemplateResult {
    const { request, owner } = this;
    const { status } = request;
    const title = requestTitle(request);
    const own = asksVisitor(request);
    return html`<section class="request" data-status=${status} tabindex="-1" aria-label="${title}: ${statusWord(request)}">
      <header>
        <span class="request-title">${isMessage(request) ? icons.mail : icons.task}<span>${title}</span></span>
        <span class="status" data-status=${status}>${icon(status)}<span>${statusWord(request)}</span></span>
      </header>
      ${own && request.message ? html`<p class="question">${request.message}</p>` : nothing}
      <p class="explain">${explanation(request, owner)}</p>
      ${request.note
        ? html`<blockquote class="note"><span class="label">${own ? t.request.own.note : t.request.note(owner)}</span><p>${request.note}</p></blockquote>`
        : nothing}
      <details ?open=${status === "pending"}>
        <summary>${whatItIs(request)}</summary>
        <dl class="fields">
          ${isMessage(request) ? html`<div><dt>${t.fields["to"]}</dt><dd>${owner}</dd></div>` : nothing}
          ${inOrder(request.arguments).map(([name, value]) => this.#field(name, value))}
        </dl>
      </details>
      <footer>
        <p class="when">
          ${this.since ? html`<span>${t.request.since} <time datetime=${this.since} title=${exact(this.since)}>${relative(this.since)}</time></span>` : nothing}
          ${status === "pending" && request.expires_at
            ? html`<span>${t.request.until} <time datetime=${request.expires_at}>${exact(request.expires_at)}</time></span>`
            : nothing}
        </p>
        ${status === "pending" ? this.#buttons(own) : nothing}
      </footer>
      ${this.late ? html`<p class="hint" role="status">${t.request.tooLate}</p>` : nothing}
    </section>`;
  }

  #buttons(own: boolean): TemplateResult {
    const words = t.request;
    const off = Boolean(this.acting);
    if (!own) {
      return html`<button type="button" class="quiet" ?disabled=${off} @click=${() => this.#act("withdraw")}>
        ${off ? words.withdrawing : words.withdraw}</button>`;
    }
    return html`<div class="answers">
      <button type="button" class="quiet" ?disabled=${off} @click=${() => this.#act("decline")}>
        ${this.acting === "decline" ? words.own.answering : words.own.decline}</button>
      <button type="button" class="filled" ?disabled=${off} @click=${() => this.#act("confirm")}>
        ${this.acting === "confirm" ? words.own.answering : html`${icons.check}${words.own.confirm}`}</button>
    </div>`;
  }

  #field(name: string, value: unknown): TemplateResult {
    const changed = JSON.stringify(value) !== JSON.stringify(this.request.asked[name]);
    return html`<div>
      <dt>${fieldName(name)}</dt>
      <dd>${shownValue(value)}${changed ? html` <span class="changed">${t.request.edited}</span>` : nothing}</dd>
    </div>`;
  }

  async #act(act: Act): Promise<void> {
    if (this.acting) return;
    this.acting = act;
    this.#pressed = true;
    const { interrupt_id: id } = this.request;
    try {
      const became = await (act === "withdraw" ? this.conversation.withdraw(id) : this.conversation.confirm(id, act === "confirm"));
      this.late = became === "late";
    } catch (error) {
      const isOurs = error instanceof SaysoError && error.status !== 0;
      this.dispatchEvent(new CustomEvent("say", { detail: isOurs ? error.message : t.unreachable, bubbles: true }));
    } finally {
      this.acting = null;
    }
  }

  /** The pressed button is gone: whoever uses the keyboard goes on from the card, and hears how it stands. */
  protected override updated(changed: Map<string, unknown>): void {
    const before = changed.get("request") as Request | undefined;
    if (!this.#pressed || before?.status !== "pending" || this.request.status === "pending") return;
    this.#pressed = false;
    if (document.activeElement === document.body || this.contains(document.activeElement)) {
      this.querySelector<HTMLElement>(".request")?.focus({ preventScroll: true });
    }
  }
}

function icon(status: Request["status"]): TemplateResult {
  if (status === "pending") return icons.clock;
  return status === "approved" ? icons.check : icons.cross;
}
customElements.define("sayso-request", RequestElement);
