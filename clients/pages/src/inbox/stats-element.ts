/** Numbers: what the turn log and the decisions add up to, with plots that are also tables. */

import { html, nothing, svg, type TemplateResult } from "lit";
import type { Card, OwnerClient, RunRow } from "sayso-client";

import { Element } from "../shared/element.js";
import { icons } from "../shared/icons.js";
import { language, t } from "../shared/language.js";
import { span } from "../shared/time.js";
import { empty, loading, problem } from "./parts.js";
import { w } from "./words.js";

const DAYS = 14;
const MOST = 1000;
const PAGE = 200;

interface Numbers {
  runs: RunRow[];
  settled: Card[];
  pending: number;
}

export class StatsElement extends Element {
  static override properties = { owner: { attribute: false }, numbers: { state: true }, failure: { state: true } };
  declare owner: OwnerClient;
  declare numbers: Numbers | null;
  declare failure: unknown;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load();
  }

  async #load(): Promise<void> {
    this.failure = undefined;
    try {
      const [runs, pending, ...settled] = await Promise.all([
        this.#runs(),
        this.owner.pending(),
        ...(["approved", "rejected", "withdrawn", "expired", "cancelled"] as const).map((status) =>
          this.owner.settled(status, { limit: PAGE }),
        ),
      ]);
      this.numbers = { runs, pending: pending.length, settled: settled.flatMap((page) => page.items) };
    } catch (error) {
      this.failure = error;
    }
  }

  async #runs(): Promise<RunRow[]> {
    const rows: RunRow[] = [];
    let before: string | undefined;
    do {
      const page = await this.owner.runs({ before, limit: PAGE });
      rows.push(...page.items);
      before = page.next ?? undefined;
    } while (before && rows.length < MOST);
    return rows;
  }

  override render(): TemplateResult {
    if (this.failure) return html`<div class="page">${problem(this.failure, () => void this.#load())}</div>`;
    if (!this.numbers) return html`<div class="page">${loading()}</div>`;
    const { runs, settled, pending } = this.numbers;
    if (runs.length === 0) return html`<div class="page">${empty(icons.chart, w().emptyThreads)}</div>`;
    const words = w().stats;
    const cost = runs.reduce((sum, run) => sum + run.cost_usd, 0);
    const tokens = runs.reduce((sum, run) => sum + run.input_tokens + run.output_tokens, 0);
    const toDecide = settled.filter((card) => card.decided_at).map((card) => ms(card.created_at, card.decided_at ?? ""));
    const first = runs.map((run) => run.ttft_ms).filter((time) => time !== null);
    const number = new Intl.NumberFormat(language);
    const days = lastDays(runs);
    return html`<div class="page">
      <dl class="tiles">
        ${tile(words.conversations, number.format(new Set(runs.map((run) => run.thread_id)).size))}
        ${tile(words.runs, number.format(runs.length))}
        ${tile(words.waiting, number.format(pending))}
        ${tile(words.timeToDecide, toDecide.length ? span(median(toDecide)) : "–")}
        ${tile(words.firstWords, first.length ? span(median(first)) : "–")}
        ${tile(words.tokens, number.format(tokens))}
        ${tile(words.cost, `$${cost === 0 ? "0" : cost.toFixed(cost < 1 ? 4 : 2)}`)}
      </dl>
      <div class="plots">
        ${columns(words.perDay, days.map(([day, rows]) => [day, rows.length]), (n) => number.format(n))}
        ${cost > 0 ? columns(words.costPerDay, days.map(([day, rows]) => [day, rows.reduce((sum, run) => sum + run.cost_usd, 0)]), (n) => n.toFixed(4)) : nothing}
        ${bars(words.outcomes, counted(runs.map((run) => words.outcome[run.outcome ?? ""] ?? "…")))}
        ${settled.length ? bars(words.decisions, counted(settled.map((card) => t.request.status[card.status]))) : nothing}
        ${toDecide.length ? bars(words.timesToDecide, buckets(toDecide)) : nothing}
      </div>
      <p class="hint">${words.basis(runs.length)}</p>
    </div>`;
  }
}

function tile(name: string, value: string): TemplateResult {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Columns over days, and the same as a table. */
function columns(title: string, values: [string, number][], shown: (n: number) => string): TemplateResult {
  const most = Math.max(...values.map(([, n]) => n), 1e-9);
  const [width, height, gap] = [420, 120, 6];
  const step = width / values.length;
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  return html`<figure class="plot"><figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${width} ${height + 20}" role="img" aria-label=${title}>
      <line x1="0" x2=${width} y1=${height + 0.5} y2=${height + 0.5} class="axis"></line>
      ${values.map(([, n], i) => {
        const tall = n ? Math.max(2, (n / most) * (height - 8)) : 0;
        return svg`<rect class="bar" x=${i * step + gap / 2} y=${height - tall} width=${step - gap} height=${tall} rx="3"></rect>`;
      })}
      <text x="2" y=${height + 16} class="tick">${day.format(new Date(values[0]?.[0] ?? 0))}</text>
      <text x=${width - 2} y=${height + 16} class="tick" text-anchor="end">${day.format(new Date(values.at(-1)?.[0] ?? 0))}</text>
    </svg>
    <details><summary>${w().stats.table}</summary><table><thead><tr><th scope="col">${w().stats.day}</th><th scope="col">${title}</th></tr></thead>
      <tbody>${values.map(([name, n]) => html`<tr><td>${name}</td><td>${shown(n)}</td></tr>`)}</tbody></table></details>
  </figure>`;
}

/** Lying bars with their numbers beside them: a table already. */
function bars(title: string, values: [string, number][]): TemplateResult {
  const most = Math.max(...values.map(([, n]) => n), 1);
  return html`<figure class="plot"><figcaption>${title}</figcaption>
    <table class="bars"><tbody>${values.map(
      ([name, n]) => html`<tr><th scope="row">${name}</th><td class="wide-cell"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" x="0" y="0" width=${(n / most) * 100} height="10" rx="1"></rect></svg></td><td class="count">${n}</td></tr>`,
    )}</tbody></table></figure>`;
}

function counted(names: string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function buckets(times: number[]): [string, number][] {
  const limits = [5 * 60_000, 3_600_000, 86_400_000, Infinity];
  return w().stats.buckets.map((name, n) => [
    name, times.filter((time) => time < (limits[n] ?? 0) && time >= (limits[n - 1] ?? 0)).length,
  ]);
}

function lastDays(runs: RunRow[]): [string, RunRow[]][] {
  const today = Date.now();
  return Array.from({ length: DAYS }, (_, n) => {
    const day = new Date(today - (DAYS - 1 - n) * 86_400_000).toISOString().slice(0, 10);
    return [day, runs.filter((run) => run.started_at.startsWith(day))];
  });
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function ms(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}
customElements.define("sayso-stats", StatsElement);
