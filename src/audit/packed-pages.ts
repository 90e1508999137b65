// What the service answered, kept packed until it is written: a JSON document begins with what was found, which is known
// only when everything was read.
import { JsonItem } from "../json-items.ts";
import { createPackedTexts } from "./packed-texts.ts";

export interface PackedPages {
  add(items: readonly JsonItem<unknown>[]): void;
  /** The items of each page as JSON, a line each, with commas between them. */
  readonly texts: () => Generator<string>;
}

/** Pages in their order. */
export function createPackedPages(): PackedPages {
  const pages = createPackedTexts();
  return {
    add(items) {
      if (items.length === 0) return;
      pages.add(JsonItem.join(items, "", "\n", ""));
    },
    *texts() {
      // An item stands on one line, whatever is in its texts.
      for (const text of pages.texts()) yield text.replaceAll("\n", ",\n");
    },
  };
}
