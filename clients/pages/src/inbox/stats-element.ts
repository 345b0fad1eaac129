/** Numbers: what the days add up to. */

import { html, nothing, type TemplateResult } from "lit";
import type { OwnerClient, Stats } from "sayso-client";

import { Element } from "../shared/element.js";
import { icons } from "../shared/icons.js";
import { language, t } from "../shared/language.js";
import { span } from "../shared/time.js";
import { empty, loading, problem } from "./parts.js";
import { bars, columns } from "./plots.js";
import { w } from "./words.js";

const PERIODS = [7, 30, 90];
const DECISIONS = ["approved", "rejected", "cancelled", "withdrawn", "expired"] as const;

export class StatsElement extends Element {
  static override properties = {
    owner: { attribute: false }, days: { state: true }, stats: { state: true }, waiting: { state: true }, failure: { state: true },
  };
  declare owner: OwnerClient;
  declare days: number;
  declare stats: Stats | null;
  declare waiting: number;
  declare failure: unknown;
  #asked = 0;

  constructor() {
    super();
    this.days = 30;
    this.stats = null;
    this.waiting = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load();
  }

  async #load(): Promise<void> {
    const asked = (this.#asked += 1);
    this.failure = undefined;
    try {
      const [stats, pending] = await Promise.all([this.owner.stats(this.days), this.owner.pending()]);
      if (asked !== this.#asked) return;
      this.stats = stats;
      this.waiting = pending.filter((card) => card.approver !== "user").length;
    } catch (error) {
      if (asked === this.#asked) this.failure = error;
    }
  }

  override render(): TemplateResult {
    return html`<div class="page">${this.#periods()} ${this.#content()}</div>`;
  }

  #periods(): TemplateResult {
    return html`<div class="filters" role="group" aria-label=${w().stats.period}>
      ${PERIODS.map(
        (days) => html`<button type="button" class="chip" aria-pressed=${String(this.days === days)}
          @click=${() => this.#show(days)}>${w().stats.lastDays(days)}</button>`,
      )}
    </div>`;
  }

  #content(): TemplateResult {
    if (this.failure) return problem(this.failure, () => void this.#load());
    if (!this.stats) return loading();
    const words = w().stats;
    const { total, days, timezone } = this.stats;
    if (!total.turns && !total.approvals.asked) return empty(icons.chart, words.none, words.noneMore);
    const number = new Intl.NumberFormat(language);
    const count = (n: number): string => number.format(n);
    const per = <T>(of: (day: (typeof days)[number]) => T): [string, T][] => days.map((day) => [day.day, of(day)]);
    const outcomes = Object.entries(total.outcomes).filter(([, n]) => n).sort(([, a], [, b]) => b - a);
    const decided = DECISIONS.filter((name) => total.approvals[name]);
    const judged = total.feedback.up + total.feedback.down;
    return html`<dl class="tiles">
        ${tile(words.conversations, count(total.conversations))}
        ${tile(words.runs, count(Object.values(total.outcomes).reduce((sum, n) => sum + n, 0)))}
        ${tile(words.waiting, count(this.waiting))}
        ${tile(words.timeToDecide, total.median_decide_s === null ? "–" : span(total.median_decide_s * 1000))}
        ${tile(words.firstWords, total.median_ttft_ms === null ? "–" : span(total.median_ttft_ms))}
        ${tile(words.unanswered, count(total.gaps))}
        ${tile(words.tokens, count(total.input_tokens + total.output_tokens))}
        ${tile(words.cost, dollars(total.cost_usd))}
      </dl>
      <div class="plots">
        ${columns(words.perDay, per((day) => day.conversations), count)}
        ${columns(words.turnsPerDay, per((day) => day.turns), count)}
        ${outcomes.length ? bars(words.outcomes, outcomes.map(([name, n]) => [words.outcome[name] ?? name, n])) : nothing}
        ${decided.length ? bars(words.decisions, decided.map((name) => [t.request.status[name], total.approvals[name]])) : nothing}
        ${total.median_decide_s === null ? nothing : columns(words.decidePerDay, per((day) => day.median_decide_s), (s) => span(s * 1000))}
        ${total.cost_usd ? columns(words.costPerDay, per((day) => day.cost_usd), dollars) : nothing}
        ${total.gaps ? columns(words.gapsPerDay, per((day) => day.gaps), count) : nothing}
        ${judged ? bars(words.feedback, [[t.good, total.feedback.up], [t.bad, total.feedback.down]]) : nothing}
      </div>
      <p class="hint">${words.basis(timezone)}</p>`;
  }

  #show(days: number): void {
    this.days = days;
    void this.#load();
  }
}

function tile(name: string, value: string): TemplateResult {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function dollars(usd: number): string {
  return `$${usd === 0 ? "0" : usd.toFixed(usd < 1 ? 4 : 2)}`;
}
customElements.define("sayso-stats", StatsElement);
