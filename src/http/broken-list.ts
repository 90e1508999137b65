// The failure of a list that breaks off: some pages are printed already, and must not be taken for the whole list.
import { Failure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";

/** How much of a list was read. */
export interface Walked {
  pages: number;
  /** The number of items on those pages, filtered out or not; absent where they are not counted. */
  items?: number;
}

/**
 * The failure with the number of pages and items that arrived. The numbers stand before the reason, which may be cut at
 * its end. Nothing is added where no page arrived, or where the error is a bug of grantctl.
 */
export function brokenOff(error: unknown, walked: Walked): unknown {
  if (!(error instanceof Failure) || walked.pages === 0) return error;
  return error.with({ cause: error }, `${incompleteness(walked)}: ${error.marked}`);
}

/** A message that says how much of the list was read. */
export function incompleteness({ pages, items }: Walked): string {
  const place = [counted(pages, "page"), ...(items === undefined ? [] : [counted(items, "item")])].join(", ");
  return `the list is incomplete, it broke off after ${place}`;
}
