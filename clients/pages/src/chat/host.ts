/** The page around the widget's frame. All that goes between the two goes through here, as messages to a known origin. */

export interface HostConfig {
  type: "sayso:config";
  theme?: "auto" | "light" | "dark";
  language?: string;
  variables?: Record<string, string>;
  kept?: { token: string | null; thread: string | null };
}

/** What the frame's look may be set to from outside. */
const VARIABLES = new Set(["--sayso-accent", "--sayso-on-accent", "--sayso-radius", "--sayso-font"]);

export class Host {
  readonly origin: string;
  readonly config: HostConfig;

  constructor(origin: string, config: HostConfig) {
    this.origin = origin;
    this.config = config;
  }

  get kept(): { token: string | null; thread: string | null } {
    return this.config.kept ?? { token: null, thread: null };
  }

  keep(what: { token?: string | null; thread?: string | null }): void {
    this.#post({ type: "sayso:keep", ...what });
  }

  /** Tells the launcher whether something waits, and whether something new arrived while it was closed. */
  state(state: { waiting: boolean; news: boolean }): void {
    this.#post({ type: "sayso:state", ...state });
  }

  close(): void {
    this.#post({ type: "sayso:close" });
  }

  onOpened(listener: () => void): void {
    addEventListener("message", (event) => {
      if (event.source === parent && event.origin === this.origin && event.data?.type === "sayso:opened") listener();
    });
  }

  /** Only colours, a radius and a font: nothing that could fetch. */
  applyVariables(): void {
    for (const [name, value] of Object.entries(this.config.variables ?? {})) {
      if (VARIABLES.has(name) && typeof value === "string" && /^[^;{}()]*(?:\([^;{}()]*\))?[^;{}()]*$/.test(value)) {
        if (!/url|image|expression/i.test(value)) document.documentElement.style.setProperty(name, value);
      }
    }
  }

  #post(message: Record<string, unknown>): void {
    parent.postMessage(message, this.origin);
  }
}

/** Says that the frame is there, and waits for the page's answer; null when it is no frame or nobody answers. */
export function findHost(storage: boolean, ms = 3000): Promise<Host | null> {
  if (parent === window) return Promise.resolve(null);
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), ms);
    function finish(host: Host | null): void {
      clearTimeout(timer);
      removeEventListener("message", hear);
      resolve(host);
    }
    function hear(event: MessageEvent): void {
      if (event.source === parent && event.data?.type === "sayso:config") finish(new Host(event.origin, event.data));
    }
    addEventListener("message", hear);
    parent.postMessage({ type: "sayso:ready", storage }, "*");
  });
}
