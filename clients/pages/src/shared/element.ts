/** What all our elements share: light DOM, so that one style sheet and one accessibility tree hold for the page. */

import { LitElement } from "lit";

export class Element extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
