// What a run left: the summary of its journal, which decides whether the record is still needed, for jobs, `recover` and hints.
//
//   value          an answer with a value that its receiver has not taken
//   token          the token of `authorization run`
//   unknown        a request without an answer, or with one that has no value
//   unfinished     items that were not done
//   damaged        a line of the record cannot be read
//   other-version  another version of grantctl made the record
import { readPlainFile } from "../system/reads.ts";
import { extractTokenFromBody } from "./intent.ts";
import type { Contents, Entry } from "./journal.ts";
import { traitsOf } from "./operations.ts";

export type Left = "value" | "token" | "unknown" | "unfinished" | NonNullable<Contents["fault"]>;

export interface KeptValue {
  readonly entry: Entry;
  readonly token: string;
}

/** What is left; null if nothing is, so that the record can go. */
export function leftOf(contents: Contents): Left | null {
  const { head, fault } = contents;
  if (head === null || fault !== null) return fault;
  if (keptValues(contents).length > 0) return "value";
  if (head.operation === "run" && tokenEntry(contents)?.id !== undefined) return "token";
  if (unknownEntries(contents).length > 0) return "unknown";
  const isOpen = traitsOf(head.operation).isResumable && openCount(contents) > 0;
  return isOpen && hasChanged(contents) ? "unfinished" : null;
}

/** True if the job may have changed anything. */
export function hasChanged({ entries, fault }: Contents): boolean {
  return fault !== null || [...entries.values()].some(({ state }) => state !== "failed");
}

/** The number of items that are not done. */
export function openCount({ head, entries }: Contents): number {
  return (head?.items ?? []).filter((item) => entries.get(item)?.state !== "done").length;
}

/** The values that their receiver has not taken, in the order of their answers. */
export function keptValues(contents: Contents): readonly KeptValue[] {
  return allValues(contents).filter(({ entry }) => isUndelivered(entry, contents));
}

/** All values of the record, also those that its receiver has taken, because a file may have been lost since. */
export function allValues({ entries }: Pick<Contents, "entries">): readonly KeptValue[] {
  return [...entries.values()].flatMap((entry) => {
    const token = extractTokenFromBody(entry.body);
    // Without an answer that fits, it may be the value of another item.
    return token === null || entry.state === "sent" ? [] : [{ entry, token }];
  });
}

/** A rotation has a step once its value is delivered; a run has no receiver. */
function isUndelivered({ state, step }: Entry, { head }: Contents): boolean {
  return state === "answered" && step === undefined && head?.operation !== "run";
}

/** Entries that were sent without an answer, or with one that has no value or does not fit. */
export function unknownEntries(contents: Contents): readonly Entry[] {
  return [...contents.entries.values()].filter(
    (entry) =>
      entry.state === "sent" || (isUndelivered(entry, contents) && extractTokenFromBody(entry.body) === null),
  );
}

/** The entry of a creation whose token may be there and is in nobody's hands; undefined if there is none. */
export function tokenEntry(contents: Contents): Entry | undefined {
  const { head, entries } = contents;
  const [entry] = entries.values();
  if (head === null || entry === undefined || entry.creation === undefined) return undefined;
  const isLeft =
    head.operation === "run" ? entry.state !== "failed" : unknownEntries(contents).includes(entry);
  return isLeft ? entry : undefined;
}

/** True if this file has values of the job and no others, so that it may be replaced by one with all values. */
export async function isFileOfJob(path: string | undefined, contents: Contents): Promise<boolean> {
  if (path === undefined) return false;
  const text = await readPlainFile(path).then(String, () => "");
  const own = new Set(allValues(contents).map(({ token }) => token));
  // The disk may have failed when the record was to get a value that the file has.
  const hasOthers = [...text.matchAll(/"token":"([^"]+)"/g)].some(([, token = ""]) => !own.has(token));
  return !hasOthers && [...own].some((token) => text.includes(token));
}
