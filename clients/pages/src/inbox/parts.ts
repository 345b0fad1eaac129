/** Small pieces every view uses. */

import { html, nothing, type TemplateResult } from "lit";
import { NotFoundError, type ApprovalStatus, type ShownMessage } from "sayso-client";

import { fieldName, inOrder, shownValue } from "../shared/fields.js";
import { icons } from "../shared/icons.js";
import { t } from "../shared/language.js";
import { exact, relative } from "../shared/time.js";
import { revealed } from "./reveal.js";
import { w } from "./words.js";

export function statusBadge(status: ApprovalStatus): TemplateResult {
  const icon = status === "pending" ? icons.clock : status === "approved" ? icons.check : icons.cross;
  return html`<span class="status" data-status=${status}>${icon}<span>${t.request.status[status]}</span></span>`;
}

export function timeAgo(time: string): TemplateResult {
  return html`<time datetime=${time} title=${exact(time)}>${relative(time)}</time>`;
}

export function toolTitle(name: string): string {
  return t.request.tools[name] ?? fieldName(name);
}

/** Names and values; what the values hide is shown. */
export function argumentList(values: Record<string, unknown>): TemplateResult {
  return html`<dl class="fields">
    ${inOrder(values).map(
      ([name, value]) => html`<div><dt>${fieldName(name)}</dt><dd>${revealed(shownValue(value))}</dd></div>`,
    )}
  </dl>`;
}

export function transcript(messages: ShownMessage[]): TemplateResult {
  return html`<ol class="transcript">
    ${messages.map(
      (message) => html`<li data-role=${message.role}>
        <span class="label">${message.role === "user" ? w().visitor : t.twin} · ${exact(message.created_at)}</span>
        <p>${revealed(message.content)}</p>
        ${message.partial ? html`<span class="hint">${t.cutOff}</span>` : nothing}
      </li>`,
    )}
  </ol>`;
}

export function empty(icon: TemplateResult, title: string, more = ""): TemplateResult {
  return html`<div class="empty"><span class="empty-icon">${icon}</span><h2>${title}</h2>${more ? html`<p>${more}</p>` : nothing}</div>`;
}

export function loading(): TemplateResult {
  return html`<div class="skeleton" role="status"><span class="sr-only">${w().wait}</span><i></i><i></i><i></i></div>`;
}

/** A route this server does not have, or one that failed. */
export function problem(error: unknown, again: () => void): TemplateResult {
  if (error instanceof NotFoundError || (error as { status?: number }).status === 405) {
    return empty(icons.doubt, w().notHere, w().notHereMore);
  }
  const message = error instanceof Error ? error.message : String(error);
  return html`<div class="problem" role="alert">${icons.warn}<p>${w().failed}. ${message}</p>
    <button type="button" class="quiet" @click=${again}>${icons.retry}${t.retry}</button></div>`;
}
