// What a run left: the fate of each item, and the summary of its record, which decides whether that is still needed,
// for jobs and `recover`.
//
//   fate         of an item                                             leaves
//   untouched    nothing was changed; or not in the record              unfinished, if the job changed other items
//   ineffective  its revocation was answered, and shows no effect       unfinished
//   unknown      no response, or one without a value that fits; an      unknown
//                answered revocation of which nothing shows the effect
//   token        the token of `authorization run`                       token
//   kept         a response whose value its receiver has not taken      value
//   delivered    a rotation whose value its receiver has                unfinished
//   accepted, gone, done                                                nothing; value if a file is to get it again
//
// A record of which a part cannot be read leaves `damaged`, one that another version of grantctl made `other-version`.
import { readPlainFile } from "../system/reads.ts";
import { lastEight } from "../token.ts";
import type { Contents, Entry, ReceiverChoice } from "./journal.ts";
import { extractTokenFromBody } from "../api/token-responses.ts";
import { traitsOf, type Operation } from "./operations.ts";

/** "gone": proven; "accepted": a revocation that could not be verified. */
export function fateOf(entry: Entry | undefined) {
  if (entry === undefined) return "untouched";
  const { state, gone, effect_unseen, id, was_delivered, body, is_unfit } = entry;
  if (gone === true) return "gone";
  if (state === "unchanged") return effect_unseen === true ? "ineffective" : "untouched";
  if (state === "done") return effect_unseen === true ? "accepted" : "done";
  if (state === "sent") return "unknown";
  if (id !== undefined) return "token";
  if (was_delivered === true) return "delivered";
  return is_unfit === true || extractTokenFromBody(body) === null ? "unknown" : "kept";
}

type Fate = ReturnType<typeof fateOf>;

/**
 * What an earlier run knows of its revocation of a token: "to-verify" if the server accepted it while the token was active,
 * "unseen" with any other response, "unanswered" without one; undefined if nothing was sent.
 */
export function earlierRevocation(entry: Entry | undefined) {
  if (entry === undefined) return undefined;
  if (entry.state === "answered") return "to-verify";
  return entry.effect_unseen === true ? "unseen" : "unanswered";
}

export type EarlierRevocation = ReturnType<typeof earlierRevocation>;

/** True if a response has come, and no other item has its token. It may be one that does not fit its request. */
export function hasOwnResponse({ state }: Entry): boolean {
  return state !== "sent" && state !== "unchanged";
}

/** True if the receiver has the value. */
export function isDelivered({ state, was_delivered }: Entry): boolean {
  return state === "done" || was_delivered === true;
}

/**
 * True if this receiver gets the value again that an earlier run delivered: a file or a stream is written anew, and what a
 * command took is given to another one only if an interrupted run was about to give it again, so that nobody may have it.
 */
export function isGivenAgain(entry: Entry | undefined, receiver: ReceiverChoice | undefined): boolean {
  if (entry?.body === undefined || entry.gone === true || !isDelivered(entry)) return false;
  return receiver?.toCommand === undefined || entry.to_redeliver === true;
}

/** A run changes an item, only delivers the value that an earlier run got, or leaves it out. */
export type Task = "change" | "deliver" | "skip";

/** The task of a run that continues after this entry, and gives values to this receiver, if there are any. */
export function taskOf(operation: Operation, entry: Entry | undefined, receiver?: ReceiverChoice): Task {
  if (isOver(entry)) return isGivenAgain(entry, receiver) ? "deliver" : "skip";
  if (["untouched", "ineffective", "unknown"].includes(fateOf(entry))) return "change";
  // With a new token whose old one is gone, nothing is deleted any more.
  return traitsOf(operation).hasLaterSteps === true && entry?.old_is_gone !== true ? "change" : "deliver";
}

/** True if nothing is left to do about the item, but perhaps its value is delivered again. */
export function isOver(entry: Entry | undefined): boolean {
  return ["accepted", "gone", "done"].includes(fateOf(entry));
}

export type Left = "value" | "token" | "unknown" | "unfinished" | NonNullable<Contents["fault"]>;

/** What is left; null if nothing is, so that the record can go. */
export function leftOf(contents: Contents): Left | null {
  const { head, fault } = contents;
  if (head === null || fault !== null) return fault;
  const entries = [...contents.entries.values()];
  const fates = new Set(entries.map(fateOf));
  if (fates.has("kept") || entries.some((each) => each.to_redeliver === true || each.is_unfit === true))
    return "value";
  if (fates.has("token")) return "token";
  if (fates.has("unknown")) return "unknown";
  return canResume(contents) && hasChanged(contents) ? "unfinished" : null;
}

/** True if the job may have changed anything. An item that was gone before its request is `unchanged` in the record. */
export function hasChanged({ entries, fault }: Contents): boolean {
  return (
    fault !== null ||
    [...entries.values()].some((entry) => entry.state !== "unchanged" || entry.effect_unseen)
  );
}

/** True if --resume would find items that are not over. */
export function canResume({ head, entries }: Contents): boolean {
  if (head === null || !traitsOf(head.operation).isResumable) return false;
  return head.keys.some((key) => !isOver(entries.get(key)));
}

/** The entries of a fate, in the order of their first requests. */
export function entriesOf({ entries }: Pick<Contents, "entries">, fate: Fate): readonly Entry[] {
  return [...entries.values()].filter((entry) => fateOf(entry) === fate);
}

/** The last eight characters of the tokens that are not done with, as far as the record has them. */
export function pendingLastEights({ entries }: Contents): readonly string[] {
  return [...entries.values()].flatMap((entry) => {
    const token = extractTokenFromBody(entry.body);
    const end = entry.last_eight ?? (token === null ? undefined : lastEight(token));
    return isOver(entry) || end === undefined ? [] : [end];
  });
}

export interface RecordedValue {
  readonly entry: Entry;
  readonly token: string;
}

/**
 * All values of the record. Those that were taken count, because a file may have been lost since. So do those in damaged
 * lines, whose item is unknown.
 */
export function allValues({ entries, broken = [] }: Contents): readonly RecordedValue[] {
  const damaged = broken.map((line): Entry => {
    return { key: "", state: "answered", body: /"body":"([^"]*)/.exec(line)?.[1] };
  });
  return [...entries.values(), ...damaged].flatMap((entry) => {
    const token = extractTokenFromBody(entry.body);
    return token !== null && hasOwnResponse(entry) ? [{ entry, token }] : [];
  });
}

/** The entry of a creation whose token may be there and is in nobody's hands; undefined if there is none. */
export function tokenEntry({ head, entries }: Contents): Entry | undefined {
  const [entry] = entries.values();
  if (head === null || entry?.creation === undefined) return undefined;
  return ["token", "unknown"].includes(fateOf(entry)) ? entry : undefined;
}

/** True if this file has values of the job and no others, so that it may be replaced by one with all values. */
export async function isFileOfJob(path: string | undefined, contents: Contents): Promise<boolean> {
  if (path === undefined) return false;
  const text = await readPlainFile(path).then(String, () => "");
  const own = new Set(allValues(contents).map(({ token }) => token));
  // The disk may have failed when the record was to get a value that the file has, and the user may have added lines.
  const isOwn = (line: string): boolean => line.split(/[\s"'=,;:]+/).some((part) => own.has(part));
  // A kill may have torn the last line.
  const whole = text.replace(/\{[^\n]*$/, "");
  const lines = whole.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 0 && lines.every(isOwn);
}
