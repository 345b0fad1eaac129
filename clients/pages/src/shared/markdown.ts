/** Markdown from a model, as nodes that can do no harm: no images, no forms, no scripts, links to the web only. */

import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: {
    // `[1]: https://…` would make every citation mark a link of the model's choosing.
    def: () => undefined,
    // HTML in an answer is text like any other: it shows as it was written.
    html: () => undefined,
    tag: () => undefined,
  },
  // Nothing is fetched for a stranger's picture: its words are enough.
  renderer: { image: ({ text }) => escaped(text) },
  extensions: [
    {
      name: "mark",
      level: "inline",
      start: (source) => source.match(/\[\d{1,3}\]/)?.index,
      tokenizer: (source) => {
        const found = /^\[\d{1,3}\]/.exec(source);
        return found ? { type: "mark", raw: found[0] } : undefined;
      },
      renderer: (token) => token.raw,
    },
  ],
});

const ALLOWED = {
  ALLOWED_TAGS: [
    "p", "br", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "table", "thead", "tbody", "tr", "th", "td",
  ],
  ALLOWED_ATTR: ["href", "start", "align"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  KEEP_CONTENT: true,
  RETURN_DOM_FRAGMENT: true as const,
};

/** The nodes. Headings are taken down to where they belong in a message; a wide table scrolls by itself. */
export function rendered(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), ALLOWED);
  for (const link of fragment.querySelectorAll("a")) {
    if (!link.getAttribute("href")) link.replaceWith(...link.childNodes);
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow ugc";
  }
  for (const heading of fragment.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const strong = document.createElement("p");
    strong.className = "heading";
    strong.append(...heading.childNodes);
    heading.replaceWith(strong);
  }
  for (const wide of fragment.querySelectorAll("table, pre")) {
    const frame = document.createElement("div");
    frame.className = "wide";
    frame.tabIndex = 0;
    frame.role = "group";
    wide.replaceWith(frame);
    frame.append(wide);
  }
  return fragment;
}

/** The mark together with the word before it: a number alone at the start of a line says nothing. */
function kept(before: Node | undefined, mark: Node): Node {
  const word = before instanceof Text ? /\S{1,24}$/.exec(before.data)?.[0] : undefined;
  if (!(before instanceof Text) || word === undefined) return mark;
  before.data = before.data.slice(0, -word.length);
  const together = document.createElement("span");
  together.className = "together";
  together.append(word, mark);
  return together;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Replaces each `[n]` in the text of these nodes by what `make` gives for it; null leaves it out. */
export function replaceMarks(root: DocumentFragment, make: (n: number) => Node | null): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.parentElement?.closest("code, pre, a") || !/\[\d{1,3}\]/.test(text.data)) continue;
    const parts: Node[] = [];
    for (const part of text.data.split(/(\s*\[\d{1,3}\])/)) {
      const mark = /^\s*\[(\d{1,3})\]$/.exec(part);
      const made = mark ? make(Number(mark[1])) : null;
      if (made) parts.push(kept(parts.at(-1), made));
      else if (!mark && part) parts.push(document.createTextNode(part));
    }
    text.replaceWith(...parts);
  }
}
