/** Plots that are also tables. */

import { html, svg, type TemplateResult } from "lit";

import { language } from "../shared/language.js";
import { w } from "./words.js";

const WIDTH = 420;
const HEIGHT = 120;

/** Columns over days, and the same as a table. A day without a value (null) has no column. */
export function columns(title: string, values: [string, number | null][], shown: (n: number) => string): TemplateResult {
  const most = Math.max(...values.map(([, n]) => n ?? 0), 1e-9);
  const step = WIDTH / values.length;
  const gap = Math.min(6, step * 0.25);
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
  const name = (date: string): string => day.format(new Date(date));
  const label = (n: number | null): string => (n === null ? "–" : shown(n));
  return html`<figure class="plot"><figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT + 20}" role="img" aria-label=${title}>
      <text x=${WIDTH - 2} y="10" class="tick" text-anchor="end">${most > 1e-9 ? shown(most) : ""}</text>
      <line x1="0" x2=${WIDTH} y1=${HEIGHT + 0.5} y2=${HEIGHT + 0.5} class="axis"></line>
      ${values.map(([date, n], i) => {
        const tall = n ? Math.max(2, (n / most) * (HEIGHT - 18)) : 0;
        const round = Math.min(3, (step - gap) / 3);
        return svg`<g><title>${name(date)}: ${label(n)}</title>
          <rect class="hit" x=${i * step} y="14" width=${step} height=${HEIGHT - 14}></rect>
          <rect class="bar" x=${i * step + gap / 2} y=${HEIGHT - tall} width=${step - gap} height=${tall} rx=${round}></rect></g>`;
      })}
      <text x="2" y=${HEIGHT + 16} class="tick">${name(values[0]?.[0] ?? "")}</text>
      <text x=${WIDTH - 2} y=${HEIGHT + 16} class="tick" text-anchor="end">${name(values.at(-1)?.[0] ?? "")}</text>
    </svg>
    <details><summary>${w().stats.table}</summary><table><thead><tr><th scope="col">${w().stats.day}</th><th scope="col">${title}</th></tr></thead>
      <tbody>${values.map(([date, n]) => html`<tr><th scope="row">${name(date)}</th><td>${label(n)}</td></tr>`)}</tbody></table></details>
  </figure>`;
}

/** Lying bars with their numbers beside them: a table already. */
export function bars(title: string, values: [string, number][]): TemplateResult {
  const most = Math.max(...values.map(([, n]) => n), 1);
  return html`<figure class="plot"><figcaption>${title}</figcaption>
    <table class="bars"><tbody>${values.map(
      ([name, n]) => html`<tr><th scope="row">${name}</th><td class="wide-cell"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" x="0" y="0" width=${(n / most) * 100} height="10" rx="1"></rect></svg></td><td class="count">${n}</td></tr>`,
    )}</tbody></table></figure>`;
}
