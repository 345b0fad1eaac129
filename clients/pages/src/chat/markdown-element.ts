/** An answer: Markdown with its `[n]` as buttons that open the source. */

import type { CitationEvent } from "sayso-client";

import { Element } from "../shared/element.js";
import { t } from "../shared/language.js";
import { rendered, replaceMarks } from "../shared/markdown.js";

export class MarkdownElement extends Element {
  static override properties = { text: {}, citations: { attribute: false }, open: { attribute: false } };
  declare text: string;
  declare citations: CitationEvent[];
  /** The number of the open source. */
  declare open: number | null;

  override render(): DocumentFragment {
    const fragment = rendered(this.text);
    replaceMarks(fragment, (n) => {
      const citation = this.citations.find((known) => known.n === n);
      return citation ? this.#mark(citation) : null;
    });
    return fragment;
  }

  #mark(citation: CitationEvent): Node {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "mark";
    button.textContent = String(citation.n);
    button.ariaLabel = t.source(citation.n, citation.title);
    button.ariaExpanded = String(this.open === citation.n);
    button.addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("source", { detail: citation.n, bubbles: true }));
    });
    return button;
  }
}
customElements.define("sayso-markdown", MarkdownElement);
