/** A form for a tool's arguments: from its JSON Schema where the server sends it, else from the values themselves. */

import { html, nothing, type TemplateResult } from "lit";

import { fieldName, inOrder, shownValue } from "../shared/fields.js";
import { doubts, revealed } from "./reveal.js";
import { w } from "./words.js";

type Arguments = Record<string, unknown>;
type Schema = Record<string, unknown>;

/** Fields in the schema's order, then what only the values have. `change` gets each new value; undefined: not valid. */
export function formFields(
  values: Arguments,
  schema: Schema | undefined,
  change: (name: string, value: unknown) => void,
  invalid: ReadonlySet<string>,
): TemplateResult[] {
  const properties = asSchema(schema?.["properties"]);
  const required = Array.isArray(schema?.["required"]) ? (schema["required"] as unknown[]) : Object.keys(values);
  const names = [...new Set([...Object.keys(properties), ...inOrder(values).map(([name]) => name)])];
  return names.map((name) => {
    const rules = asSchema(properties[name]);
    const id = `field-${name.replace(/[^\w-]/g, "_")}`;
    return html`<div class="field">
      <label for=${id}>${fieldName(name)}${required.includes(name) ? nothing : html` <span class="hint">(${w().optional})</span>`}</label>
      ${control(id, values[name], rules, required.includes(name), (value) => change(name, value))}
      ${typeof rules["description"] === "string" ? html`<p class="hint" id="${id}-hint">${rules["description"]}</p>` : nothing}
      ${doubts(values[name]).some((slug) => slug !== "markup") ? html`<p class="hidden-in">${w().inIt} ${revealed(shownValue(values[name]))}</p>` : nothing}
      ${invalid.has(name) ? html`<p class="wrong" role="alert">${w().notJson}</p>` : nothing}
    </div>`;
  });
}

function control(
  id: string,
  value: unknown,
  rules: Schema,
  required: boolean,
  change: (value: unknown) => void,
): TemplateResult {
  const choices = rules["enum"];
  const type = rules["type"] ?? (value === null ? undefined : typeof value);
  const text = (event: Event): string => (event.target as HTMLInputElement).value;
  if (Array.isArray(choices)) {
    return html`<select id=${id} @change=${(event: Event) => change(choices[Number(text(event))])}>
      ${choices.map((choice, n) => html`<option value=${n} ?selected=${choice === value}>${String(choice)}</option>`)}
    </select>`;
  }
  if (type === "boolean") {
    return html`<input id=${id} type="checkbox" .checked=${value === true}
      @change=${(event: Event) => change((event.target as HTMLInputElement).checked)} />`;
  }
  if (type === "integer" || type === "number") {
    return html`<input id=${id} type="number" step=${type === "integer" ? 1 : "any"} .value=${String(value ?? "")} ?required=${required}
      min=${number(rules["minimum"])} max=${number(rules["maximum"])}
      @input=${(event: Event) => change(text(event) === "" ? undefined : Number(text(event)))} />`;
  }
  if (type === "string") {
    const current = typeof value === "string" ? value : "";
    const isLong = Number(rules["maxLength"] ?? 0) > 250 || current.length > 80 || current.includes("\n");
    const limits = { min: number(rules["minLength"]), max: number(rules["maxLength"]) };
    return isLong
      ? html`<textarea id=${id} rows=${rowsFor(current)} .value=${current} ?required=${required}
          minlength=${limits.min} maxlength=${limits.max} @input=${(event: Event) => change(text(event))}></textarea>`
      : html`<input id=${id} type="text" .value=${current} ?required=${required} minlength=${limits.min} maxlength=${limits.max}
          autocomplete="off" @input=${(event: Event) => change(text(event))} />`;
  }
  return html`<textarea id=${id} class="code" rows="4" spellcheck="false" .value=${JSON.stringify(value ?? null, null, 2)}
    @input=${(event: Event) => change(parsed(text(event)))}></textarea>`;
}

/** Room for the text, at about 60 characters a line. */
function rowsFor(text: string): number {
  const lines = text.split("\n").map((line) => Math.max(1, Math.ceil(line.length / 60)));
  return Math.min(12, Math.max(3, lines.reduce((sum, n) => sum + n, 0)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function number(value: unknown): number | typeof nothing {
  return typeof value === "number" ? value : nothing;
}

function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
