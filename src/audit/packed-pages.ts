// What the service answered, kept packed until it is written: a JSON document begins with what was found, which is known
// only when everything was read.
import type { JsonItem } from "../json-items.ts";
import { createPackedTexts } from "./packed-texts.ts";

export interface PackedPages {
  add(items: readonly JsonItem<unknown>[]): void;
  /** The items of each page as JSON, a line each, with commas between them. */
  texts(): Generator<string>;
}

const between = Buffer.from(",\n");

/** Pages in their order. */
export function createPackedPages(): PackedPages {
  const pages = createPackedTexts();
  return {
    add(items) {
      if (items.length === 0) return;
      const pieces = items.flatMap(({ json }, index) => (index === 0 ? [json] : [between, json]));
      pages.add(Buffer.concat(pieces));
    },
    texts: () => pages.texts(),
  };
}
