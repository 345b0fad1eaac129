/** The views that look back: decided, conversations, messages. */

import { html, nothing, type TemplateResult } from "lit";
import { NotFoundError, type Card, type ContactMessage, type GivenFeedback, type ListedThread, type Page, type Transcript } from "sayso-client";

import { copy } from "../shared/clipboard.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact } from "../shared/time.js";
import { csv, download } from "./csv.js";
import type { SettledStatus } from "./desk.js";
import { ListElement } from "./list-element.js";
import { argumentList, empty, loading, problem, statusBadge, timeAgo, toolTitle, transcript } from "./parts.js";
import { revealed } from "./reveal.js";
import { w } from "./words.js";

const STATUSES: SettledStatus[] = ["approved", "rejected", "withdrawn", "expired", "cancelled", "orphaned"];

/** Who or what settled a card, in words. */
export function settledBy(card: Card): string {
  if (card.status === "withdrawn") return w().byVisitor;
  if (card.status === "expired") return w().byClock;
  // Who confirmed for themselves stands there by their key, `visitor:…` or `user:…`.
  const [kind, ...name] = card.approver === "user" ? (card.decided_by?.split(":") ?? []) : [];
  if (kind === "visitor" && name.length) return w().byVisitor;
  if (kind === "user" && name.length) return w().byUser(name.join(":"));
  return card.decided_by ?? w().byUnknown;
}

class HistoryElement extends ListElement<Card> {
  static override properties = { ...ListElement.properties, status: { state: true } };
  declare status: SettledStatus | "all";

  constructor() {
    super();
    this.status = "all";
  }

  protected async page(before: string | undefined): Promise<Page<Card>> {
    if (this.status !== "all") return this.owner.settled(this.status, { before });
    const pages = await Promise.all(STATUSES.map((status) => this.owner.settled(status, { limit: 50 })));
    const items = pages.flatMap((page) => page.items);
    return { items: items.sort((a, b) => when(b).localeCompare(when(a))), next: null };
  }

  protected override controls(): TemplateResult {
    return html`<div class="filters" role="group" aria-label=${w().filter}>
      ${(["all", ...STATUSES] as const).map(
        (status) => html`<button type="button" class="chip" aria-pressed=${String(this.status === status)}
          @click=${() => this.#show(status)}>${status === "all" ? w().all : t.request.status[status]}</button>`,
      )}
    </div>`;
  }

  protected list(items: Card[]): TemplateResult {
    return html`<ul class="rows">${items.map((card) => this.#row(card))}</ul>`;
  }

  protected nothingHere(): TemplateResult {
    return empty(icons.check, w().emptyHistory);
  }

  #row(card: Card): TemplateResult {
    const call = card.tool_calls[0];
    return html`<li><details class="row-card">
      <summary>
        <span class="row-main"><b>${toolTitle(call?.name ?? "")}</b><span class="row-more">${revealed(card.visitor_message)}</span></span>
        <span class="row-side">${statusBadge(card.status)}<span class="hint">${settledBy(card)} · ${timeAgo(when(card))}</span></span>
      </summary>
      <div class="row-body">
        ${card.note ? html`<blockquote class="note"><span class="label">${w().note}</span><p>${revealed(card.note)}</p></blockquote>` : nothing}
        ${card.edited_arguments
          ? html`<h3>${w().editedArguments}</h3>${argumentList(card.edited_arguments)}<h3>${w().originalArguments}</h3>`
          : nothing}
        ${argumentList(call?.input ?? {})}
        <p class="hint">${w().age} ${exact(card.created_at)}${card.decided_at ? html` · ${w().decidedAt} ${exact(card.decided_at)}` : nothing}
          ${card.decided_via ? html` · ${w().via[card.decided_via] ?? card.decided_via}` : nothing}
          · <a href="#/threads/${card.thread_id}">${w().thread}</a></p>
      </div>
    </details></li>`;
  }

  #show(status: SettledStatus | "all"): void {
    this.status = status;
    void this.load();
  }
}

function when(card: Card): string {
  return card.decided_at ?? card.created_at;
}

class ThreadsElement extends ListElement<ListedThread> {
  static override properties = {
    ...ListElement.properties, chosen: {}, shown: { state: true }, unshown: { state: true },
  };
  /** The id of the thread to show; empty: the list. */
  declare chosen: string;
  declare shown: Transcript | null;
  declare unshown: unknown;

  protected page(before: string | undefined): Promise<Page<ListedThread>> {
    return this.owner.threads({ before });
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("chosen") && this.chosen) void this.#read(this.chosen);
  }

  override render(): TemplateResult {
    return this.chosen ? this.#thread() : super.render();
  }

  protected list(items: ListedThread[]): TemplateResult {
    return html`<ul class="rows">${items.map(
      (row) => html`<li><a class="row-card row-link" href="#/threads/${row.thread_id}">
        <span class="row-main"><b class="row-said">${row.last_said ? revealed(row.last_said) : w().nothingSaid}</b>
          <span class="row-more">${w().principal[row.principal.split(":")[0] ?? ""] ?? ""} · <span class="mono">${row.thread_id}</span></span></span>
        <span class="row-side"><span class="status" data-status=${row.status === "interrupted" ? "pending" : ""}><span>${w().threadStatus[row.status]}</span></span>
          <span class="hint">${timeAgo(row.updated_at)}</span></span>
      </a></li>`,
    )}</ul>`;
  }

  protected nothingHere(): TemplateResult {
    return empty(icons.chat, w().emptyThreads);
  }

  #thread(): TemplateResult {
    const shown = this.shown?.thread_id === this.chosen ? this.shown : null;
    return html`<div class="page">
      <a class="back" href="#/threads">${icons.back}${w().back}</a>
      ${this.unshown instanceof NotFoundError ? empty(icons.chat, w().threadGone, w().threadGoneMore)
        : this.unshown ? problem(this.unshown, () => void this.#read(this.chosen)) : nothing}
      ${shown
        ? html`<h2 class="mono">${shown.thread_id}</h2>
            <p class="hint">${w().started} ${exact(shown.created_at)} · ${w().lastActive} ${timeAgo(shown.updated_at)} · ${w().threadStatus[shown.status]}</p>
            ${transcript(shown.messages)} ${feedback(shown.feedback)}`
        : this.unshown ? nothing : loading()}
    </div>`;
  }

  async #read(threadId: string): Promise<void> {
    this.unshown = undefined;
    try {
      this.shown = await this.owner.transcript(threadId);
    } catch (error) {
      this.unshown = error;
    }
  }
}

function feedback(given: GivenFeedback[]): TemplateResult | typeof nothing {
  if (!given.length) return nothing;
  return html`<section class="verdicts"><h3>${w().feedback}</h3><ul>${given.map(
    ({ verdict, comment, said_at }) => html`<li>${verdict === "up" ? icons.up : icons.down}
      <span>${verdict === "up" ? t.good : t.bad}${comment ? html`: ${revealed(comment)}` : nothing} <span class="hint">${timeAgo(said_at)}</span></span></li>`,
  )}</ul></section>`;
}

class MessagesElement extends ListElement<ContactMessage> {
  protected page(before: string | undefined): Promise<Page<ContactMessage>> {
    return this.owner.contactMessages({ before });
  }

  protected override controls(): TemplateResult | typeof nothing {
    if (!this.items?.length) return nothing;
    return html`<div class="filters"><button type="button" class="quiet" @click=${this.#export}>${w().csv}</button></div>`;
  }

  protected list(items: ContactMessage[]): TemplateResult {
    return html`<ul class="rows">${items.map(
      (message) => html`<li class="letter">
        <header><h2>${revealed(message.subject)}</h2><span class="hint">${timeAgo(message.created_at)}</span></header>
        <p class="hint">${w().from} ${revealed(message.sender_contact)}</p>
        <p class="letter-text">${revealed(message.message)}</p>
        <footer>
          <button type="button" class="quiet" @click=${() => this.#copy(message)}>${icons.copy}${w().copyAll}</button>
          <a href="#/threads/${message.thread_id}">${w().thread}</a>
        </footer>
      </li>`,
    )}</ul>`;
  }

  protected nothingHere(): TemplateResult {
    return empty(icons.mail, w().emptyMessages, w().emptyMessagesMore);
  }

  async #copy(message: ContactMessage): Promise<void> {
    const text = `${message.subject}\n${w().from} ${message.sender_contact}\n\n${message.message}`;
    if (await copy(text)) this.say(t.copied);
  }

  #export(): void {
    const rows = (this.items ?? []).map((m) => [m.created_at, m.sender_contact, m.subject, m.message, m.thread_id]);
    download("contact-messages.csv", csv(["created_at", "sender_contact", "subject", "message", "thread_id"], rows));
  }
}

customElements.define("sayso-history", HistoryElement);
customElements.define("sayso-threads", ThreadsElement);
customElements.define("sayso-messages", MessagesElement);
