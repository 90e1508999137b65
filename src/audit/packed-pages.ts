// What the service answered, kept packed until it is written: a JSON document begins with what was found, which is known
// only when everything was read.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { JsonItem } from "../json-items.ts";

export interface PackedPages {
  add(items: readonly JsonItem<unknown>[]): void;
  /** The items of each page as JSON, a line each, with commas between them. */
  texts(): Generator<string>;
}

const between = Buffer.from(",\n");

/** Pages in their order, each packed by itself: no more than one is ever unpacked. */
export function createPackedPages(): PackedPages {
  const pages: Buffer[] = [];
  return {
    add(items) {
      if (items.length === 0) return;
      const pieces = items.flatMap(({ json }, index) => (index === 0 ? [json] : [between, json]));
      pages.push(deflateRawSync(Buffer.concat(pieces), { level: 1 }));
    },
    *texts() {
      for (const page of pages) yield inflateRawSync(page).toString("utf8");
    },
  };
}
