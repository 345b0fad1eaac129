/** One turn: what was said, the answer with its sources, the requests it led to. */

import { html, nothing, type TemplateResult } from "lit";
import { SaysoError } from "sayso-client";

import { copy } from "../shared/clipboard.js";
import { Element } from "../shared/element.js";
import { fieldName } from "../shared/fields.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact } from "../shared/time.js";
import type { Conversation, Turn, Verdict } from "./conversation.js";
import type { Block } from "./log.js";

const LEAD_TO_OTHER_SITES = /^https?:\/\//i;

export class TurnElement extends Element {
  static override properties = {
    turn: { attribute: false }, owner: {}, site: {}, newest: { type: Boolean }, source: { state: true },
    asking: { state: true }, copied: { state: true },
  };
  declare turn: Turn;
  declare owner: string;
  /** Where relative addresses of sources lead; empty: nowhere. */
  declare site: string;
  declare newest: boolean;
  declare source: number | null;
  /** Whether to ask what was wrong. */
  declare asking: boolean;
  declare copied: boolean;
  declare conversation: Conversation;

  override render(): TemplateResult {
    const { turn } = this;
    return html`
      ${turn.said === null
        ? nothing
        : html`<div class="said" title=${turn.at ? exact(turn.at) : ""}><span class="sr-only">${t.you}: </span>${turn.said}</div>`}
      ${turn.block ? this.#answer(turn.block) : this.#older()}
    `;
  }

  #older(): TemplateResult | typeof nothing {
    if (!this.turn.answer) return nothing;
    return html`<div class="answer">
      <span class="sr-only">${t.twin}: </span>
      <sayso-markdown .text=${this.turn.answer} .citations=${[]} .open=${null}></sayso-markdown>
      ${this.turn.partial ? html`<p class="hint">${t.cutOff}</p>` : nothing}
    </div>`;
  }

  #answer(block: Block): TemplateResult {
    const text = this.turn.answer;
    const tools = Object.values(block.running);
    const waits = !block.done && !block.error;
    return html`<div class="answer" aria-busy=${String(waits)}>
        <span class="sr-only">${t.twin}: </span>
        ${block.ends.length ? html`<p class="about">${t.request.aboutRequest}</p>` : nothing}
        ${text.trim()
          ? html`<sayso-markdown .text=${text} .citations=${block.citations} .open=${this.source ?? null} @source=${this.#toggle}></sayso-markdown>`
          : nothing}
        ${waits
          ? html`<p class="thinking"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
              ${tools.length ? t.usingTool(tools.map(fieldName).join(", ")) : text.trim() ? html`<span class="sr-only">${t.thinking}</span>` : t.thinking}</p>`
          : nothing}
        ${block.outcome === "cancelled" ? html`<p class="hint">${t.stopped}</p>` : nothing}
        ${block.error ? this.#error(block) : nothing}
        ${block.citations.length && text.trim() ? this.#sources(block) : nothing}
        ${block.done && text.trim() && !block.error && block.outcome !== "pending_approval" ? this.#actions(block) : nothing}
      </div>
      ${block.requests.map(
        (request) => html`<sayso-request
          .request=${request}
          .since=${this.turn.since[request.interrupt_id] ?? ""}
          .owner=${this.owner}
          .conversation=${this.conversation}
        ></sayso-request>`,
      )}`;
  }

  #error(block: Block): TemplateResult {
    return html`<div class="problem" role="alert">
      ${icons.warn}<p>${block.error?.message || t.failedAnswer}</p>
      ${block.error?.retryable && this.newest && this.turn.said !== null
        ? html`<button type="button" class="quiet" @click=${() => this.conversation.send(this.turn.said ?? "")}>${icons.retry}${t.retry}</button>`
        : nothing}
    </div>`;
  }

  #sources(block: Block): TemplateResult {
    const citations = [...block.citations].sort((a, b) => a.n - b.n);
    const open = citations.find((citation) => citation.n === this.source);
    return html`<div class="sources">
      <ul aria-label=${t.sources}>
        ${citations.map(
          (citation) => html`<li><button type="button" class="chip source" aria-expanded=${String(citation.n === this.source)}
            @click=${() => this.#open(citation.n)}><span class="sr-only">${t.sourceWord} </span><b>${citation.n}</b><span>${citation.title}</span></button></li>`,
        )}
      </ul>
      ${open
        ? html`<figure class="quote" aria-label=${t.source(open.n, open.title)}>
            <blockquote>${open.quote}</blockquote>
            <figcaption><cite>${open.source}</cite>${this.#link(open.url)}</figcaption>
          </figure>`
        : nothing}
    </div>`;
  }

  /** Addresses come from the owner's pages. Only the web is linked to. */
  #link(url: string | undefined): TemplateResult | typeof nothing {
    if (!url || (!LEAD_TO_OTHER_SITES.test(url) && !this.site)) return nothing;
    let target: URL;
    try {
      target = new URL(url, this.site || undefined);
    } catch {
      return nothing;
    }
    if (!LEAD_TO_OTHER_SITES.test(target.href)) return nothing;
    return html`<a href=${target.href} target="_blank" rel="noopener noreferrer">${t.readOn}${icons.link}</a>`;
  }

  #actions(block: Block): TemplateResult {
    return html`<div class="actions">
      <button type="button" class="icon-button" title=${t.copy} aria-label=${t.copy} @click=${this.#copy}>
        ${this.copied ? icons.check : icons.copy}
      </button>
      ${(["up", "down"] as const).map(
        (verdict) => html`<button type="button" class="icon-button" title=${verdict === "up" ? t.good : t.bad}
          aria-label=${verdict === "up" ? t.good : t.bad} aria-pressed=${String(this.turn.verdict === verdict)}
          @click=${() => this.#rate(block, verdict)}>${verdict === "up" ? icons.up : icons.down}</button>`,
      )}
      ${this.asking
        ? html`<form class="why" @submit=${(event: SubmitEvent) => this.#explain(event, block)}>
            <input name="why" maxlength="1000" autocomplete="off" aria-label=${t.why} placeholder=${t.why} />
            <button type="submit" class="quiet">${t.send}</button></form>`
        : nothing}
    </div>`;
  }

  #toggle(event: CustomEvent<number>): void {
    this.#open(event.detail);
  }

  #open(n: number): void {
    this.source = this.source === n ? null : n;
  }

  async #copy(): Promise<void> {
    this.copied = await copy(this.turn.answer.replace(/\s*\[\d{1,3}\]/g, "").trim());
    if (this.copied) this.#say(t.copied);
    setTimeout(() => (this.copied = false), 1500);
  }

  async #rate(block: Block, verdict: Verdict, comment?: string): Promise<void> {
    try {
      await this.conversation.rate(block, verdict, comment);
      this.asking = verdict === "down" && comment === undefined;
      // Whoever is asked what was wrong is thanked after that.
      if (!this.asking) this.#say(t.thanks);
    } catch (error) {
      if (!(error instanceof SaysoError)) throw error;
      this.#say(t.unreachable);
    }
  }

  #explain(event: SubmitEvent, block: Block): void {
    event.preventDefault();
    const why = new FormData(event.currentTarget as HTMLFormElement).get("why");
    void this.#rate(block, "down", String(why));
  }

  #say(text: string): void {
    this.dispatchEvent(new CustomEvent("say", { detail: text, bubbles: true }));
  }
}
customElements.define("sayso-turn", TurnElement);
