/** What visitors asked and the pages could not answer: read it, answer it, or take it off the list. */

import { html, nothing, type TemplateResult } from "lit";
import { SaysoError, type Gap, type Page } from "sayso-client";

import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { languages } from "../shared/strings.js";
import { ListElement } from "./list-element.js";
import { empty, timeAgo } from "./parts.js";
import { revealed } from "./reveal.js";
import { w } from "./words.js";

const LONGEST_ANSWER = 4000;
const LONGEST_TITLE = 150;

export class GapsElement extends ListElement<Gap> {
  static override properties = {
    ...ListElement.properties, status: { state: true }, writing: { state: true }, sending: { state: true }, wrong: { state: true },
  };
  declare status: "open" | "answered";
  /** The gap that is being answered. */
  declare writing: string;
  declare sending: boolean;
  declare wrong: { id: string; why: string } | null;

  constructor() {
    super();
    this.status = "open";
    this.writing = "";
    this.sending = false;
    this.wrong = null;
  }

  protected page(before: string | undefined): Promise<Page<Gap>> {
    return this.owner.gaps({ before, status: this.status });
  }

  protected override controls(): TemplateResult {
    return html`<div class="filters" role="group" aria-label=${w().filter}>
      ${(["open", "answered"] as const).map(
        (status) => html`<button type="button" class="chip" aria-pressed=${String(this.status === status)}
          @click=${() => this.#show(status)}>${w().gap.statuses[status]}</button>`,
      )}
    </div>`;
  }

  protected list(items: Gap[]): TemplateResult {
    return html`<ul class="rows">${items.map((gap) => this.#gap(gap))}</ul>`;
  }

  protected nothingHere(): TemplateResult {
    return this.status === "open"
      ? empty(icons.question, w().emptyGaps, w().emptyGapsMore)
      : empty(icons.check, w().gap.noneAnswered, w().gap.noneAnsweredMore);
  }

  /** To the next question, or the one before. */
  step(by: number): void {
    const all = [...this.querySelectorAll<HTMLElement>(".gap h2")];
    const place = all.findIndex((title) => title.closest(".gap")?.contains(document.activeElement));
    all[Math.min(Math.max(place + by, 0), all.length - 1)]?.focus();
  }

  /** Opens the form of the question that has the focus. */
  answer(): void {
    const id = document.activeElement?.closest<HTMLElement>(".gap")?.dataset["gap"];
    const gap = this.items?.find((other) => other.id === id);
    if (gap?.status === "open") this.#write(gap);
  }

  /** Closes the form; false when none is open. */
  leave(): boolean {
    const id = this.writing;
    if (!id) return false;
    this.writing = "";
    this.wrong = null;
    void this.updateComplete.then(() => this.#title(id)?.focus());
    return true;
  }

  #gap(gap: Gap): TemplateResult {
    const words = w().gap;
    return html`<li class="letter gap" data-gap=${gap.id}>
      <header><h2 tabindex="-1">${revealed(gap.question)}</h2>
        <span class="hint">${gap.count > 1 ? html`<b>${words.times(gap.count)}</b> · ` : nothing}${timeAgo(gap.last_asked_at)}</span></header>
      ${gap.languages.length > 1 ? html`<p class="hint">${words.in(gap.languages.map(languageName))}</p>` : nothing}
      ${this.#examples(gap)}
      ${gap.status === "answered" ? this.#answered(gap) : nothing}
      ${this.wrong?.id === gap.id ? html`<div class="problem" role="alert">${icons.warn}<p>${this.wrong.why}</p></div>` : nothing}
      ${gap.status !== "open" ? nothing : this.writing === gap.id ? this.#form(gap) : this.#buttons(gap)}
    </li>`;
  }

  #examples(gap: Gap): TemplateResult {
    const [first] = gap.examples;
    if (gap.count === 1) {
      return first ? html`<p class="hint"><a href="#/threads/${first.thread_id}">${w().thread}</a></p>` : html``;
    }
    return html`<details class="asked-as"><summary>${w().gap.asAsked}</summary><ul>${gap.examples.map(
      (example) => html`<li><span>${revealed(example.question)}</span>
        <span class="hint">${timeAgo(example.asked_at)} · <a href="#/threads/${example.thread_id}">${w().thread}</a></span></li>`,
    )}</ul></details>`;
  }

  #answered(gap: Gap): TemplateResult {
    return html`<p class="hint">${w().gap.answeredBy(gap.answered_by ?? w().byUnknown)} ${gap.answered_at ? timeAgo(gap.answered_at) : nothing}
      · <span class="mono">${gap.page}</span></p>`;
  }

  #buttons(gap: Gap): TemplateResult {
    return html`<footer>
      <button type="button" class="filled" @click=${() => this.#write(gap)}>${icons.edit}${w().gap.answer}</button>
      <button type="button" class="quiet" ?disabled=${this.sending} @click=${() => this.#dismiss(gap)}>${w().gap.dismiss}</button>
    </footer>`;
  }

  #form(gap: Gap): TemplateResult {
    const words = w().gap;
    return html`<form class="form" @submit=${(event: SubmitEvent) => this.#send(event, gap)}>
      <div class="field"><label for="title-${gap.id}">${words.title}</label>
        <input id="title-${gap.id}" name="title" type="text" required maxlength=${LONGEST_TITLE} autocomplete="off"
          .defaultValue=${gap.question.slice(0, LONGEST_TITLE)} aria-describedby="title-more-${gap.id}" />
        <p class="hint" id="title-more-${gap.id}">${words.titleMore}</p></div>
      <div class="field"><label for="answer-${gap.id}">${words.yourAnswer}</label>
        <textarea id="answer-${gap.id}" name="answer" rows="5" required maxlength=${LONGEST_ANSWER} aria-describedby="answer-more-${gap.id}"></textarea>
        <p class="hint" id="answer-more-${gap.id}">${words.answerMore}</p></div>
      <footer>
        <button type="submit" class="filled" ?disabled=${this.sending}>${this.sending ? w().wait : words.publish}</button>
        <button type="button" class="quiet" @click=${() => this.leave()}>${t.cancel}</button>
      </footer>
    </form>`;
  }

  #show(status: "open" | "answered"): void {
    this.status = status;
    this.writing = "";
    this.wrong = null;
    void this.load();
  }

  #write(gap: Gap): void {
    this.writing = gap.id;
    this.wrong = null;
    void this.updateComplete.then(() => this.querySelector<HTMLTextAreaElement>(".gap textarea")?.focus());
  }

  async #send(event: SubmitEvent, gap: Gap): Promise<void> {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const [answer, title] = ["answer", "title"].map((name) => String(given.get(name) ?? "").trim());
    if (!answer) return;
    await this.#settle(gap, () => this.owner.answerGap(gap.id, answer, title), w().gap.published);
  }

  #dismiss(gap: Gap): Promise<void> {
    return this.#settle(gap, () => this.owner.dismissGap(gap.id), w().gap.dismissed);
  }

  async #settle(gap: Gap, act: () => Promise<Gap>, said: string): Promise<void> {
    this.sending = true;
    this.wrong = null;
    try {
      await act();
      const place = this.items?.findIndex((other) => other.id === gap.id) ?? 0;
      this.items = (this.items ?? []).filter((other) => other.id !== gap.id);
      this.writing = "";
      this.say(said);
      const near = this.items[Math.min(place, this.items.length - 1)];
      await this.updateComplete;
      if (near) this.#title(near.id)?.focus();
    } catch (error) {
      if (!(error instanceof SaysoError)) throw error;
      const why = error.code === "answer_not_kept" ? `${w().gap.notKept} ${error.message}` : error.message;
      this.wrong = { id: gap.id, why };
    } finally {
      this.sending = false;
    }
  }

  #title(id: string): HTMLElement | null {
    return this.querySelector<HTMLElement>(`.gap[data-gap="${CSS.escape(id)}"] h2`);
  }
}

function languageName(code: string): string {
  return Object.hasOwn(languages, code) ? languages[code as keyof typeof languages].name : code;
}
customElements.define("sayso-gaps", GapsElement);
