/** Actions that broke off in the middle: nobody knows whether they were carried out, so the owner says. */

import { html, nothing, type TemplateResult } from "lit";
import { SaysoError, type Card, type Effect, type Page } from "sayso-client";

import { icons } from "../shared/icons.js";
import { ListElement } from "./list-element.js";
import { argumentList, empty, timeAgo, toolTitle } from "./parts.js";
import { w } from "./words.js";

class EffectsElement extends ListElement<Effect> {
  static override properties = { ...ListElement.properties, wrong: { state: true }, busy: { state: true } };
  declare wrong: { id: string; why: string } | null;
  declare busy: string;
  /** What was approved, by tool call: an effect itself does not repeat it. */
  #approved = new Map<string, Card>();

  protected async page(before: string | undefined): Promise<Page<Effect>> {
    const [effects, approved] = await Promise.all([
      this.owner.effects("in_doubt", { before }),
      this.owner.settled("approved", { limit: 200 }),
    ]);
    for (const card of approved.items) {
      for (const call of card.tool_calls) this.#approved.set(`${card.thread_id} ${call.id}`, card);
    }
    return effects;
  }

  protected list(items: Effect[]): TemplateResult {
    return html`<p class="hint lead">${w().effectsLead}</p>
      <ul class="rows">${items.map((effect) => this.#effect(effect))}</ul>`;
  }

  protected nothingHere(): TemplateResult {
    return empty(icons.doubt, w().emptyEffects, w().emptyEffectsMore);
  }

  #effect(effect: Effect): TemplateResult {
    const card = this.#approved.get(`${effect.thread_id} ${effect.tool_call_id}`);
    return html`<li class="letter" data-effect=${effect.id}>
      <header><h2>${toolTitle(effect.tool)}</h2><span class="hint">${w().effectStarted} ${timeAgo(effect.started_at)}</span></header>
      ${card ? argumentList(card.edited_arguments ?? card.tool_calls[0]?.input ?? {}) : nothing}
      <p class="hint">${card?.decided_by ? html`${w().decidedBy} ${card.decided_by} · ` : nothing}<a href="#/threads/${effect.thread_id}">${w().thread}</a></p>
      ${this.wrong?.id === effect.id ? html`<div class="problem" role="alert">${icons.warn}<p>${this.wrong.why}</p></div>` : nothing}
      <form class="settle" @submit=${(event: SubmitEvent) => this.#settle(event, effect)}>
        <label for="result-${effect.id}">${w().effectResult} <span class="hint">(${w().optional})</span></label>
        <input id="result-${effect.id}" name="result" type="text" maxlength="2000" autocomplete="off" />
        <button type="submit" value="done" class="filled" ?disabled=${this.busy === effect.id}>${icons.check}${w().effectHappened}</button>
        <button type="submit" value="retry" class="quiet" ?disabled=${this.busy === effect.id}>${icons.retry}${w().effectRetry}</button>
      </form>
    </li>`;
  }

  async #settle(event: SubmitEvent, effect: Effect): Promise<void> {
    event.preventDefault();
    const result = String(new FormData(event.currentTarget as HTMLFormElement).get("result") ?? "").trim();
    const retry = (event.submitter as HTMLButtonElement | null)?.value === "retry";
    this.wrong = null;
    this.busy = effect.id;
    try {
      const settled = await this.owner.settleEffect(effect.id, retry ? "retry" : "done", retry ? undefined : result);
      this.say(w().effectSettled[settled.status]);
      await this.load();
    } catch (error) {
      if (!(error instanceof SaysoError)) throw error;
      this.wrong = { id: effect.id, why: error.message };
    } finally {
      this.busy = "";
    }
  }
}
customElements.define("sayso-effects", EffectsElement);
