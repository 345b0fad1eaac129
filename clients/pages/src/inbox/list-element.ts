/** A view over one paged list of the server: loading, empty, failed and "load more" in one place. */

import { html, nothing, type TemplateResult } from "lit";
import type { OwnerClient, Page } from "sayso-client";

import { Element } from "../shared/element.js";
import { loading, problem } from "./parts.js";
import { w } from "./words.js";

export abstract class ListElement<T> extends Element {
  static override properties = {
    owner: { attribute: false }, items: { state: true }, next: { state: true }, failure: { state: true },
  };
  declare owner: OwnerClient;
  declare items: T[] | null;
  declare next: string | null;
  declare failure: unknown;
  #asked = 0;

  protected abstract page(before: string | undefined): Promise<Page<T>>;
  protected abstract list(items: T[]): TemplateResult;
  protected abstract nothingHere(): TemplateResult;
  /** Above the list: filters, buttons. */
  protected controls(): TemplateResult | typeof nothing {
    return nothing;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.load();
  }

  async load(more = false): Promise<void> {
    const asked = (this.#asked += 1);
    if (!more) this.items = null;
    this.failure = undefined;
    try {
      const page = await this.page(more ? (this.next ?? undefined) : undefined);
      if (asked !== this.#asked) return;
      this.items = more ? [...(this.items ?? []), ...page.items] : page.items;
      this.next = page.next;
    } catch (error) {
      if (asked === this.#asked) this.failure = error;
    }
  }

  override render(): TemplateResult {
    return html`<div class="page">${this.controls()} ${this.#content()}</div>`;
  }

  #content(): TemplateResult {
    if (this.failure) return problem(this.failure, () => void this.load());
    if (!this.items) return loading();
    if (this.items.length === 0) return this.nothingHere();
    return html`${this.list(this.items)}
      ${this.next ? html`<button type="button" class="quiet more" @click=${() => this.load(true)}>${w().loadMore}</button>` : nothing}`;
  }

  protected say(text: string): void {
    this.dispatchEvent(new CustomEvent("say", { detail: text, bubbles: true }));
  }
}
