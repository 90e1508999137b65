// What is said of a list that broke off: a part of it is out already, and must not be taken for the whole.
import { Failure } from "../errors/errors.ts";

/** How far the walk of a list has come. */
export interface Walked {
  pages: number;
  /** On those pages, wanted or not; absent where nobody counts them. */
  items?: number;
}

/**
 * The same failure, of a list of which so much was there. That comes before the reason, which may be long and is cut
 * then. A list that never began has nothing to add, and neither has a bug of ours.
 */
export function brokenOff(error: unknown, walked: Walked): unknown {
  if (!(error instanceof Failure) || walked.pages === 0) return error;
  return new Failure(error.kind, `${incompleteness(walked)}: ${error.marked}`, {
    ...error.details,
    cause: error,
  });
}

/** The same as a message of its own. */
export function incompleteness({ pages, items }: Walked): string {
  const place = [countOf(pages, "page"), ...(items === undefined ? [] : [countOf(items, "item")])].join(", ");
  return `the list is incomplete, it broke off after ${place}`;
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
