/** The approval card as the visitor sees it: what will be sent, to whom, since when, and what became of it. */

import { html, nothing, type TemplateResult } from "lit";

import { Element } from "../shared/element.js";
import { fieldName, inOrder, shownValue } from "../shared/fields.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact, relative } from "../shared/time.js";
import type { Request } from "./log.js";

export class RequestElement extends Element {
  static override properties = {
    request: { attribute: false }, since: {}, owner: {}, withdrawing: { state: true }, late: { state: true },
  };
  declare request: Request;
  declare since: string;
  declare owner: string;
  declare withdrawing: boolean;
  declare late: boolean;
  /** Set by the page: takes the request back. */
  declare withdraw: (interruptId: string) => Promise<"withdrawn" | "late">;
  #clock: ReturnType<typeof setInterval> | undefined;

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
    const words = t.request;
    const title = words.tools[request.tool] ?? fieldName(request.tool);
    return html`<section class="request" data-status=${status} aria-label="${title}: ${words.status[status]}">
      <header>
        <span class="request-title">${icons.mail}<span>${title}</span></span>
        <span class="status" data-status=${status}>${icon(status)}<span>${words.status[status]}</span></span>
      </header>
      <p class="explain">${words.explain(owner)[status]}</p>
      ${request.note ? html`<blockquote class="note"><span class="label">${words.note(owner)}</span><p>${request.note}</p></blockquote>` : nothing}
      <details ?open=${status === "pending"}>
        <summary>${what(status)}</summary>
        <dl class="fields">
          <div><dt>${t.fields["to"]}</dt><dd>${owner}</dd></div>
          ${inOrder(request.arguments).map(([name, value]) => this.#field(name, value))}
        </dl>
      </details>
      <footer>
        <p class="when">
          ${this.since ? html`<span>${words.since} <time datetime=${this.since} title=${exact(this.since)}>${relative(this.since)}</time></span>` : nothing}
          ${status === "pending" && request.expires_at
            ? html`<span>${words.until} <time datetime=${request.expires_at}>${exact(request.expires_at)}</time></span>`
            : nothing}
        </p>
        ${status === "pending"
          ? html`<button type="button" class="quiet" ?disabled=${this.withdrawing} @click=${this.#takeBack}>
              ${this.withdrawing ? words.withdrawing : words.withdraw}
            </button>`
          : nothing}
      </footer>
      ${this.late ? html`<p class="hint" role="status">${words.tooLate}</p>` : nothing}
    </section>`;
  }

  #field(name: string, value: unknown): TemplateResult {
    const changed = JSON.stringify(value) !== JSON.stringify(this.request.asked[name]);
    return html`<div>
      <dt>${fieldName(name)}</dt>
      <dd>${shownValue(value)}${changed ? html` <span class="changed">${t.request.edited}</span>` : nothing}</dd>
    </div>`;
  }

  async #takeBack(): Promise<void> {
    this.withdrawing = true;
    try {
      this.late = (await this.withdraw(this.request.interrupt_id)) === "late";
    } catch {
      this.dispatchEvent(new CustomEvent("say", { detail: t.unreachable, bubbles: true }));
    } finally {
      this.withdrawing = false;
    }
  }
}

function what(status: Request["status"]): string {
  const words = t.request;
  if (status === "pending") return words.what;
  return status === "approved" ? words.whatWas.approved : words.whatWas.other;
}

function icon(status: Request["status"]): TemplateResult {
  if (status === "pending") return icons.clock;
  return status === "approved" ? icons.check : icons.cross;
}
customElements.define("sayso-request", RequestElement);
