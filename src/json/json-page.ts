// The bytes of a page of a list, with facts about the whole page that are found out once, when they are first needed.
import { isAscii } from "node:buffer";

export class JsonPage {
  readonly bytes: Buffer;
  #text: string | null = null;
  #parts: readonly unknown[] | null = null;
  #isAscii: boolean | null = null;
  #hasEscapes: boolean | null = null;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The bytes taken for Latin-1, which is quicker than decoding: JSON's own signs are ASCII and come out right. */
  get text(): string {
    return (this.#text ??= this.bytes.toString("latin1"));
  }

  get isArray(): boolean {
    return /^[ \t\n\r]*\[/.test(this.text);
  }

  /** Whether its texts are what its bytes taken for Latin-1 say. */
  get isAscii(): boolean {
    return (this.#isAscii ??= isAscii(this.bytes));
  }

  /** Whether a text of it may hold a character that was written as an escape. */
  get hasEscapes(): boolean {
    return (this.#hasEscapes ??= this.bytes.includes("\\u"));
  }

  /** What it says, of bytes taken for Latin-1: its shape is right, its texts only where they are ASCII. Or throws. */
  readParts(isSplit: boolean): readonly unknown[] {
    if (this.#parts !== null) return this.#parts;
    const whole: unknown = JSON.parse(this.text);
    return (this.#parts = isSplit && Array.isArray(whole) ? whole : [whole]);
  }
}
