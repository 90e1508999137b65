// Summarizes the journal of an earlier run: undelivered tokens, unknown outcomes, how far the job got. Used by
// announcements, `recover list` and `recover show`.
import { isLocked, type ProcessTable } from "../files/lock.ts";
import { lastEight } from "../token-value.ts";
import type { Contents, Entry, RunToken } from "./entries.ts";
import { extractTokenFromBody } from "./kept-values.ts";
import { isJob } from "./operations.ts";
import { companionPath } from "./state-folder.ts";

/** A journal that only a later version of grantctl can read. */
export interface JournalRef {
  readonly id: string;
  readonly path: string;
}

/** A journal that no running process uses. */
export interface Leftover extends JournalRef {
  /** Its entries, without items that were certainly not sent. */
  readonly contents: Contents;
}

export type LeftoverState = "value kept" | "outcome unknown" | "orphaned token" | "unfinished" | "damaged";

/** The entries with an undelivered token, in the order of their responses. */
export function keptEntries({ contents }: Leftover): readonly Entry[] {
  return [...contents.items.values()].filter(
    (entry) => isUndelivered(entry) && extractTokenFromBody(entry.body) !== null,
  );
}

/** True if there is a response that was not delivered. A rotation has a step once its token is delivered. */
function isUndelivered({ state, step }: Entry): boolean {
  return state === "answered" && step === undefined;
}

/** The undelivered tokens, with the last eight characters of the tokens that they replace. */
export function undeliveredValues(leftover: Leftover) {
  return keptEntries(leftover).map(({ last_eight: old, body }) => ({
    token_last_eight_before: old ?? null,
    token: extractTokenFromBody(body) ?? "",
  }));
}

/**
 * The entries with an unknown outcome: sent, possibly sent (a power cut may have lost that record), or with a response
 * that contains no token.
 */
export function unknownEntries({ contents }: Leftover): readonly Entry[] {
  return [...contents.items.values()].filter(
    (entry) =>
      entry.state === "sent" ||
      entry.state === "planned" ||
      (isUndelivered(entry) && extractTokenFromBody(entry.body) === null),
  );
}

/** The token of a leftover of `authorization run`; null for any other leftover. */
export function findRunToken({ contents }: Leftover): RunToken | null {
  return [...contents.items.values()].find(({ run }) => run !== undefined)?.run ?? null;
}

/**
 * True if the command of an interrupted `authorization run` is still running, or if that cannot be checked from here.
 */
export async function isCommandRunning(leftover: Leftover, processes: ProcessTable): Promise<boolean> {
  return findRunToken(leftover) !== null && isLocked(companionPath(leftover.path, "command"), processes);
}

/** A summary of a leftover. */
export function summarize(leftover: Leftover) {
  const { head, items, isDamaged } = leftover.contents;
  const entries = [...items.values()];
  const values = keptEntries(leftover).length;
  const isOrphan = findRunToken(leftover) !== null;
  const unknown = isOrphan ? 0 : unknownEntries(leftover).length;
  const count = (state: Entry["state"]): number => entries.filter((entry) => entry.state === state).length;
  const done = count("done");
  const failed = entries.filter(({ state, isUntried }) => state === "failed" && isUntried !== true).length;
  const chooseState = (): LeftoverState => {
    if (isDamaged) return "damaged";
    if (values > 0) return "value kept";
    if (isOrphan) return "orphaned token";
    return unknown > 0 ? "outcome unknown" : "unfinished";
  };
  return {
    state: chooseState(),
    items: head.total,
    done,
    /** Items that were tried and certainly not changed. */
    failed,
    /** Items that are neither done nor failed. */
    toGo: Math.max(0, head.total - done - failed),
    /** The number of undelivered tokens. */
    values,
    /** The number of unknown outcomes. */
    unknown,
    /**
     * The last eight characters of each token whose new token is undelivered or whose outcome is unknown; those of the
     * new token if there was no old one.
     */
    lastEights: entries.flatMap((entry) =>
      entry.state === "done" || entry.state === "failed" ? [] : (lastEightOfEntry(entry) ?? []),
    ),
    /** The notes of the tokens that an unfinished rotation created, or may have created. */
    notes: entries.flatMap(({ state, interim, run, lost = [] }) => {
      const names = state === "failed" ? lost : [...lost, interim?.note ?? [], run?.note ?? []].flat();
      return state === "done" ? [] : [...new Set(names)];
    }),
    isJob: isJob(head),
  };
}

/** The last eight characters of the token that an entry is about, or null. */
function lastEightOfEntry({ last_eight: old, body }: Entry): string | null {
  if (old !== undefined) return old;
  const value = extractTokenFromBody(body);
  return value === null ? null : lastEight(value);
}
