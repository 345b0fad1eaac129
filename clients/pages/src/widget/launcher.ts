/**
 * The widget, for any site: <script src="https://your.twin/widget.js" defer></script>
 *
 * A button in a shadow root, and the chat in a sandboxed frame of the twin's own origin. Nothing of the site can reach
 * into the conversation, and nothing of it reaches the site, but for what stands in `hear`.
 */

interface Settings {
  theme: "auto" | "light" | "dark";
  position: "right" | "left";
  language: string | undefined;
  label: string | undefined;
}

const VARIABLES = ["--sayso-accent", "--sayso-on-accent", "--sayso-radius", "--sayso-font"];
const KEPT = "sayso.kept";

type Labels = [open: string, close: string, title: string, news: string];

const ENGLISH: Labels = ["Chat", "Close chat", "Chat", "there is news"];
const LABELS: Record<string, Labels> = { en: ENGLISH, nl: ["Chat", "Chat sluiten", "Chat", "er is nieuws"] };

const STYLE = `
:host { all: initial; }
.button, .frame { position: fixed; z-index: 2147483000; }
.button {
  inset-block-end: max(20px, env(safe-area-inset-bottom)); inset-inline-end: 20px;
  display: grid; place-items: center; width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%;
  background: var(--sayso-accent, #1c5d57); color: var(--sayso-on-accent, #fff); cursor: pointer;
  box-shadow: 0 1px 2px rgb(0 0 0 / .18), 0 8px 24px rgb(0 0 0 / .18); transition: transform .16s ease;
}
.button:hover { transform: translateY(-2px); }
.button:focus-visible { outline: 3px solid var(--sayso-accent, #1c5d57); outline-offset: 3px; }
.button svg { width: 26px; height: 26px; }
.button .cross, .button[aria-expanded=true] .bubble { display: none; }
.button[aria-expanded=true] .cross { display: block; }
.dot { position: absolute; top: 2px; right: 2px; width: 12px; height: 12px; border-radius: 50%; background: #d9822b; border: 2px solid #fff; display: none; }
.button[data-news] .dot { display: block; }
.frame {
  inset-block-end: calc(max(20px, env(safe-area-inset-bottom)) + 68px); inset-inline-end: 20px;
  width: min(400px, calc(100vw - 40px)); height: min(640px, calc(100dvh - 120px)); border: 0;
  border-radius: var(--sayso-radius, 16px); background: #fbfaf8; color-scheme: normal;
  box-shadow: 0 2px 6px rgb(0 0 0 / .12), 0 18px 60px rgb(0 0 0 / .24);
}
.frame[hidden] { display: none; }
.left .button, .left .frame { inset-inline-end: auto; inset-inline-start: 20px; }
@media (max-width: 480px) {
  .frame { inset: 0; width: 100vw; height: 100dvh; border-radius: 0; }
  .button[aria-expanded=true] { display: none; }
}
@media (prefers-color-scheme: dark) { .frame { background: #171615; } }
@media (prefers-reduced-motion: reduce) { .button { transition: none; } }
`;

class Widget {
  readonly #origin: string;
  readonly #settings: Settings;
  readonly #host = document.createElement("div");
  readonly #button = document.createElement("button");
  readonly #labels: Labels;
  #frame: HTMLIFrameElement | null = null;
  #opened = false;
  /** The frame has said that it is there; before, it is not of the origin we talk to. */
  #ready = false;

  constructor(script: HTMLScriptElement) {
    this.#origin = new URL(script.src).origin;
    const { theme, position, language, label } = script.dataset;
    this.#settings = {
      theme: theme === "light" || theme === "dark" ? theme : "auto",
      position: position === "left" ? "left" : "right",
      language: language ?? undefined,
      label: label ?? undefined,
    };
    const spoken = language ?? (document.documentElement.lang || navigator.language);
    this.#labels = LABELS[spoken.slice(0, 2)] ?? ENGLISH;
    if (script.dataset["accent"]) this.#host.style.setProperty("--sayso-accent", script.dataset["accent"]);
    this.#draw();
    addEventListener("message", (event) => this.#hear(event));
    // A request waits: its ending must be able to show, so the frame lives in the background.
    if (this.#kept()["waiting"]) this.#load();
  }

  open(): void {
    this.#load();
    this.#opened = true;
    this.#show();
    this.#tell({ type: "sayso:opened" });
    this.#frame?.focus();
  }

  close(): void {
    this.#opened = false;
    this.#show();
    this.#button.focus();
  }

  #draw(): void {
    const root = this.#host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const box = document.createElement("div");
    box.className = this.#settings.position;
    this.#button.type = "button";
    this.#button.className = "button";
    this.#button.append(
      drawing("bubble", "M5 5.500h14a1.500 1.500 0 0 1 1.500 1.500v8a1.500 1.500 0 0 1-1.500 1.500h-6l-4.500 3.800v-3.800H5A1.500 1.500 0 0 1 3.500 15V7A1.500 1.500 0 0 1 5 5.500Z"),
      drawing("cross", "m6 6 12 12M18 6 6 18"),
    );
    const dot = document.createElement("span");
    dot.className = "dot";
    this.#button.append(dot);
    this.#button.addEventListener("click", () => (this.#opened ? this.close() : this.open()));
    root.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Escape" && this.#opened) this.close();
    });
    box.append(this.#button);
    root.append(box);
    this.#host.id = "sayso-widget";
    document.body.append(this.#host);
    this.#show();
  }

  #load(): void {
    if (this.#frame) return;
    const frame = (this.#frame = document.createElement("iframe"));
    frame.className = "frame";
    frame.title = this.#settings.label ?? this.#labels[2];
    // Its own origin, for its own storage; no top navigation, no downloads of ours.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox");
    frame.setAttribute("allow", "clipboard-write");
    frame.referrerPolicy = "no-referrer";
    frame.src = `${this.#origin}/widget`;
    frame.hidden = true;
    this.#button.before(frame);
  }

  #show(): void {
    if (this.#frame) this.#frame.hidden = !this.#opened;
    this.#button.ariaExpanded = String(this.#opened);
    if (this.#opened) delete this.#button.dataset["news"];
    const news = "news" in this.#button.dataset ? `, ${this.#labels[3]}` : "";
    this.#button.ariaLabel = this.#opened ? this.#labels[1] : (this.#settings.label ?? this.#labels[0]) + news;
  }

  #hear(event: MessageEvent): void {
    if (event.origin !== this.#origin || event.source !== this.#frame?.contentWindow) return;
    const message = event.data ?? {};
    switch (message.type) {
      case "sayso:ready": {
        this.#ready = true;
        const kept = this.#kept();
        this.#tell({
          type: "sayso:config",
          theme: this.#settings.theme,
          language: this.#settings.language,
          variables: this.#variables(),
          // Only for a frame that may store nothing itself.
          ...(message.storage ? {} : { kept: { token: kept["token"] ?? null, thread: kept["thread"] ?? null } }),
        });
        if (this.#opened) this.#tell({ type: "sayso:opened" });
        break;
      }
      case "sayso:keep":
        this.#keep(pick(message, ["token", "thread"]));
        break;
      case "sayso:state":
        this.#keep({ waiting: message.waiting === true });
        if (message.news === true && !this.#opened) this.#button.dataset["news"] = "";
        this.#show();
        break;
      case "sayso:close":
        this.close();
    }
  }

  #variables(): Record<string, string> {
    const computed = getComputedStyle(this.#host);
    const found = VARIABLES.map((name) => [name, computed.getPropertyValue(name).trim()] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== ""));
  }

  #tell(message: Record<string, unknown>): void {
    if (this.#ready) this.#frame?.contentWindow?.postMessage(message, this.#origin);
  }

  #kept(): Record<string, unknown> {
    try {
      return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Record<string, unknown>;
    } catch {
      return {};
    }
  }

  #keep(what: Record<string, unknown>): void {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...this.#kept(), ...what }));
    } catch {
      // Blocked here too: it lasts as long as the page.
    }
  }
}

function drawing(name: string, path: string): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", name);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("fill", "none");
  svg.setAttribute("stroke", "currentColor");
  svg.setAttribute("stroke-width", "1.8");
  svg.setAttribute("stroke-linecap", "round");
  svg.setAttribute("stroke-linejoin", "round");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

function pick(from: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement && !document.getElementById("sayso-widget")) {
  const begin = (): void => {
    const widget = new Widget(script);
    Object.assign(globalThis, { sayso: { open: () => widget.open(), close: () => widget.close() } });
  };
  if (document.body) begin();
  else addEventListener("DOMContentLoaded", begin);
}
