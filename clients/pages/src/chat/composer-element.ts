/** Where the visitor writes. Enter sends, Shift+Enter is a new line. */

import { html, nothing, type TemplateResult } from "lit";

import { Element } from "../shared/element.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";

const LONGEST = 4000;

export class ComposerElement extends Element {
  static override properties = { busy: { type: Boolean }, text: { state: true } };
  declare busy: boolean;
  declare text: string;

  constructor() {
    super();
    this.text = "";
  }

  override render(): TemplateResult {
    const over = this.#length - LONGEST;
    return html`<form class="composer" @submit=${this.#submit}>
      <label class="sr-only" for="composer">${t.message}</label>
      <textarea id="composer" rows="1" dir="auto" placeholder=${t.placeholder} .value=${this.text} enterkeyhint="send" autocomplete="off"
        aria-describedby=${over > 0 ? "too-long" : nothing} aria-invalid=${over > 0 ? "true" : nothing}
        @input=${this.#write} @keydown=${this.#key}></textarea>
      ${this.busy
        ? html`<button type="button" class="round" aria-label=${t.stop} title=${t.stop} @click=${this.#stop}>${icons.stop}</button>`
        : html`<button type="submit" class="round" aria-label=${t.send} title=${t.send}
            ?disabled=${over > 0} aria-disabled=${String(!this.text.trim())}>${icons.send}</button>`}
      ${over > 0 ? html`<p class="too-long" id="too-long" role="status">${t.tooLong(over)}</p>` : nothing}
    </form>`;
  }

  override focus(): void {
    this.querySelector("textarea")?.focus();
  }

  fill(text: string): void {
    this.text = text;
    void this.updateComplete.then(() => {
      this.#grow();
      this.focus();
    });
  }

  /** As the server counts: code points. */
  get #length(): number {
    return [...this.text].length;
  }

  #write(event: Event): void {
    this.text = (event.target as HTMLTextAreaElement).value;
    this.#grow();
  }

  #grow(): void {
    const area = this.querySelector("textarea");
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#send();
  }

  #submit(event: Event): void {
    event.preventDefault();
    this.#send();
  }

  #send(): void {
    const text = this.text.trim();
    if (!text || this.busy || this.#length > LONGEST) return;
    this.text = "";
    this.dispatchEvent(new CustomEvent("send", { detail: text }));
    void this.updateComplete.then(() => this.#grow());
  }

  #stop(): void {
    this.dispatchEvent(new Event("stop"));
    this.focus();
  }
}
customElements.define("sayso-composer", ComposerElement);
