// What a run left: the summary of its journal, for `recover` and for the hint that names an undelivered value.
//
//   value        an answer with a value that its receiver has not taken
//   token        the token of `authorization run`
//   unknown      a request without an answer, or with one that has no value
//   unfinished   items that were not done
//   damaged      a line of the record cannot be read
import { readPlainFile } from "../system/bounded-reads.ts";
import { lastEight } from "../token-value.ts";
import { extractTokenFromBody } from "./intent.ts";
import type { Contents, Entry } from "./journal.ts";
import { traitsOf } from "./operations.ts";

export type Left = "value" | "token" | "unknown" | "unfinished" | "damaged";

export interface KeptValue {
  readonly entry: Entry;
  readonly token: string;
}

/** What is left; null if nothing is, because the run was killed just before it deleted its record. */
export function leftOf(contents: Contents): Left | null {
  const { head, isDamaged } = contents;
  if (isDamaged) return "damaged";
  if (head === null) return null;
  if (keptValues(contents).length > 0) return "value";
  if (head.operation === "run" && tokenEntry(contents)?.id !== undefined) return "token";
  if (unknownEntries(contents).length > 0) return "unknown";
  const hasChanged = [...contents.entries.values()].some(({ state }) => state !== "failed");
  return hasChanged && traitsOf(head.operation).isResumable && openCount(contents) > 0 ? "unfinished" : null;
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
    return token === null ? [] : [{ entry, token }];
  });
}

/** A rotation has a step once its value is delivered; a run has no receiver. */
function isUndelivered({ state, step }: Entry, { head }: Contents): boolean {
  return state === "answered" && step === undefined && head?.operation !== "run";
}

/** Entries that were sent without an answer, or with one that has no value. */
export function unknownEntries(contents: Contents): readonly Entry[] {
  return [...contents.entries.values()].filter(
    (entry) =>
      entry.state === "sent" || (isUndelivered(entry, contents) && extractTokenFromBody(entry.body) === null),
  );
}

/** The entry of a creation whose token may be there and is in nobody's hands; undefined if there is none. */
export function tokenEntry({ head, entries }: Contents): Entry | undefined {
  const [entry] = entries.values();
  if (head === null || entry === undefined || entry.creation === undefined) return undefined;
  const isLeft = head.operation === "run" ? entry.state !== "failed" : entry.state === "sent";
  return isLeft ? entry : undefined;
}

/** The last eight characters of each token whose value is kept or whose outcome is unknown. */
export function lastEights(contents: Contents): readonly string[] {
  return [
    ...keptValues(contents).map(({ entry, token }) => entry.last_eight ?? lastEight(token)),
    ...unknownEntries(contents).flatMap(({ last_eight: end }) => end ?? []),
  ];
}

/** True if the output file of the job has a value of it, so that it may be replaced by one with all values. */
export async function isFileOfJob({ head, entries }: Pick<Contents, "head" | "entries">): Promise<boolean> {
  const path = head?.receiver?.outputFile;
  if (path === undefined) return false;
  const text = await readPlainFile(path).then(String, () => "");
  return allValues({ entries }).some(({ token }) => text.includes(token));
}
