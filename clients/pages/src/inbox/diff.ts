/** What changed between two texts, word by word. Pure. */

export interface Change {
  kind: "same" | "gone" | "new";
  text: string;
}

const MOST_WORDS = 1500;

/** The longest common run of words stays; a text too long for that counts as replaced whole. */
export function changes(before: string, after: string): Change[] {
  const a = words(before);
  const b = words(after);
  if (a.length * b.length > MOST_WORDS ** 2) {
    return [{ kind: "gone", text: before }, { kind: "new", text: after }];
  }
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: Change[] = [];
  const add = (kind: Change["kind"], text: string): void => {
    const last = found.at(-1);
    if (last?.kind === kind) last.text += text;
    else found.push({ kind, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i] ?? "");
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      add("gone", a[i] ?? "");
      i += 1;
    } else {
      add("new", b[j] ?? "");
      j += 1;
    }
  }
  return found;
}

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
