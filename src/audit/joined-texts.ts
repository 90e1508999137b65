// Many short texts kept as one long text: as values of their own they take more memory, and the garbage collector looks
// at each of them. The texts are copied, because a part of a page's text would keep the whole page in memory.

/** Texts by their position. */
export class JoinedTexts {
  readonly #text: string;
  /** Where each text ends, after a first 0. */
  readonly #ends: Uint32Array;

  constructor(texts: readonly string[]) {
    this.#text = texts.join("");
    this.#ends = new Uint32Array(texts.length + 1);
    let end = 0;
    for (let index = 0; index < texts.length; index += 1) {
      end += texts[index]?.length ?? 0;
      this.#ends[index + 1] = end;
    }
  }

  get length(): number {
    return this.#ends.length - 1;
  }

  isEmpty(index: number): boolean {
    return this.#ends[index] === this.#ends[index + 1];
  }

  at(index: number): string {
    return this.#text.slice(this.#ends[index], this.#ends[index + 1]);
  }
}
