// What is said when a list breaks off: a part of it is printed already, and must not be taken for the whole.
import { Failure } from "../errors/errors.ts";

/** How far the reading of a list has come. */
export interface Walked {
  pages: number;
  /** The number of items on those pages, wanted or not; absent where they are not counted. */
  items?: number;
}

/**
 * The same failure with the number of pages and items that came, in front of the reason, which may be long and cut.
 * Nothing is added where no page came, or where the failure is a bug of grantctl.
 */
export function brokenOff(error: unknown, walked: Walked): unknown {
  if (!(error instanceof Failure) || walked.pages === 0) return error;
  return new Failure(error.kind, `${incompleteness(walked)}: ${error.marked}`, {
    ...error.details,
    cause: error,
  });
}

/** How far the list had come, as a message of its own. */
export function incompleteness({ pages, items }: Walked): string {
  const place = [countOf(pages, "page"), ...(items === undefined ? [] : [countOf(items, "item")])].join(", ");
  return `the list is incomplete, it broke off after ${place}`;
}

function countOf(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
