/** Server-sent events from text as it comes. Only what the contract uses of them: `id` and `data`, and comments. */

export interface Message {
  id: string | undefined;
  data: string;
}

export class MessageParser {
  #rest = "";
  #endedWithCr = false;
  #id: string | undefined;
  #data: string[] = [];

  /** The messages that this piece of the stream completes. A line may end in CR, LF or both, and a piece anywhere. */
  feed(piece: string): Message[] {
    if (piece === "") return [];
    // The LF of a line's end whose CR was the last of the piece before.
    const more = this.#endedWithCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#endedWithCr = piece.endsWith("\r");
    const lines = (this.#rest + more).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): Message[] {
    if (line === "") return this.#complete();
    const [, name, value = ""] = /^([^:]*)(?::\x20?(.*))?$/s.exec(line) ?? [];
    if (name === "data") this.#data.push(value);
    if (name === "id") this.#id = value;
    return [];
  }

  #complete(): Message[] {
    const message = { id: this.#id, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#id = undefined;
    this.#data = [];
    return isEmpty ? [] : [message];
  }
}
