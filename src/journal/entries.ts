// The records of a journal: a head that says what the job is, then entries that say what became of each item. The only
// secrets in them are answers with a token's value, and those only until the value is delivered.
import * as v from "valibot";
import { operatorNames } from "../operators.ts";
import type { ReadRecords } from "./record-file.ts";

export const operations = [
  "create",
  "get-or-create",
  "reset",
  "revoke",
  "revoke-grant",
  "delete-grant",
  "delete-authorization",
  "rotate",
  "report",
] as const;
export type JournalOperation = (typeof operations)[number];

/** Whether a request of this operation that got no answer is never sent again: nothing tells what became of it. */
export function isNeverRepeated(operation: Head["operation"]): boolean {
  return operation === "report";
}

/** Whether the answer to an operation holds a token's value. */
export function makesValues(operation: Head["operation"]): boolean {
  return (
    operation === "create" || operation === "get-or-create" || operation === "reset" || operation === "rotate"
  );
}

/** The fields of a head that decide whether it is a job or a single request. */
type JobForm = Pick<Head, "total" | "operation"> & { readonly shard?: unknown };

/** Whether a journal belongs to a job, which --resume takes up again, and not to a single request for a value. */
export function isJob({ total, shard, operation }: JobForm): boolean {
  if (operation === "unknown") return false;
  // Even a rotation of one token is a job: after the delivery, steps are left that --resume does.
  return total > 1 || shard !== undefined || !makesValues(operation) || operation === "rotate";
}

const head = v.object({
  version: v.literal(1),
  operation: v.picklist(operations),
  /** The base URL. */
  address: v.string(),
  /** Which kind of server that was; absent in journals of versions that only knew one kind. */
  operator: v.optional(v.picklist(operatorNames)),
  /** A hash of the user name, or of the client ID, that the requests were made with. */
  requester: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  total: v.number(),
  /** A hash over all items, in any order. */
  list: v.string(),
  /** `i/n` where the items are one shard of the input. */
  shard: v.optional(v.string()),
  /** A hash over the whole input that the shard was taken from. */
  input: v.optional(v.string()),
  /** The identity of the file that takes the values. */
  output: v.optional(v.string()),
  /** For a rotation: the old tokens are not deleted. */
  keepsOld: v.optional(v.boolean()),
});

/** The note and fingerprint of a rotated token, which its successor has in the end. */
const names = v.object({ note: v.nullable(v.string()), fingerprint: v.nullable(v.string()) });

/** A record that says that a later run of the job writes its values to another file. */
const otherOutputFile = v.object({ output: v.string() });

const entry = v.object({
  /** The item's hash. */
  item: v.string(),
  /**
   * planned: it may be sent at any moment; only a power cut can lose the note that it was sent. sent: on its way, or
   * never answered. answered: the answer is in the journal, its value not delivered yet. done: finished, and its value,
   * if there is one, delivered. failed: known not to have changed anything.
   */
  state: v.picklist(["planned", "sent", "answered", "done", "failed"]),
  /** The token's last eight characters, where the item is one. */
  last_eight: v.optional(v.string()),
  /** The raw answer, in base64. */
  body: v.optional(v.string()),
  /** The raw answer, sealed (vault.ts): on disk it takes the place of `body`. */
  sealed: v.optional(v.string()),
  /** A sentence on what a later look at the service found out about an unknown outcome. */
  known: v.optional(v.string()),
  /** The request took effect, but its new value never came: the old token is dead, by proven credentials. */
  isLost: v.optional(v.boolean()),
  /**
   * How far a rotation has come since the new token was created. delivered: the receiver has the value. proven: the
   * service accepted the new token. gone: the old token is deleted.
   */
  step: v.optional(v.picklist(["delivered", "proven", "gone"])),
  /** For a rotation: the names of the old token, and the interim ones of the new token until the old one is gone. */
  old: v.optional(names),
  interim: v.optional(names),
  /** The notes of tokens that the same rotation asked for before, without getting a value. */
  lost: v.optional(v.array(v.string())),
  /**
   * With `planned`: identifies the start of the machine during which it was written; absent where that is not known.
   */
  boot: v.optional(v.string()),
});

/** A head. The operation `unknown` stands for a head that cannot be read any more. */
export type Head = Omit<v.InferOutput<typeof head>, "operation"> & {
  readonly operation: JournalOperation | "unknown";
};
export type Entry = v.InferOutput<typeof entry>;

/** What the records of one file say: the head, and the latest entry of each item. */
export interface Contents {
  readonly head: Head;
  readonly items: ReadonlyMap<string, Entry>;
  /** The identities of the files that its runs wrote values to. */
  readonly outputFiles: readonly string[];
  /** Whether a record in the middle cannot be read: what it said is missing. */
  readonly isDamaged: boolean;
}

/** Whether the first record is the head of a journal that a later version of grantctl wrote. */
export function isOfLaterVersion([first]: readonly unknown[]): boolean {
  return v.is(v.object({ version: v.pipe(v.number(), v.minValue(2)) }), first);
}

/** Reads records; null when they are no journal of a version known here. */
export function readContents({ records, isDamaged }: ReadRecords): Contents | null {
  const first = v.safeParse(head, records[0]);
  if (!first.success && (!isDamaged || isOfLaterVersion(records))) return null;
  const items = new Map<string, Entry>();
  const outputFiles: string[] =
    first.success && first.output.output !== undefined ? [first.output.output] : [];
  for (const record of first.success ? records.slice(1) : records) {
    const parsed = v.safeParse(entry, record);
    const change = v.safeParse(otherOutputFile, record);
    if (parsed.success) items.set(parsed.output.item, { ...items.get(parsed.output.item), ...parsed.output });
    else if (change.success) outputFiles.push(change.output.output);
    else return null;
  }
  if (first.success) return { head: first.output, items, outputFiles, isDamaged };
  return items.size === 0 ? null : { head: lostHead(items.size), items, outputFiles, isDamaged };
}

/** Stands in for a head that cannot be read: the job cannot be taken up, but its values can still be shown. */
function lostHead(total: number): Head {
  return { version: 1, operation: "unknown", address: "", requester: "", created_at: "", total, list: "" };
}

/**
 * The entries without those that were certainly not sent. An item that was planned since the machine started was not
 * sent, or the journal would say so: only a power cut loses that note. In a damaged journal nothing is certain.
 */
export function withoutUnsent({ items, isDamaged }: Contents, bootId: string | null): Contents["items"] {
  if (isDamaged || bootId === null) return items;
  return new Map(
    [...items].filter(
      ([, { state, boot, isLost, lost }]) =>
        state !== "planned" || boot !== bootId || isLost === true || lost !== undefined,
    ),
  );
}

export function isFinished(contents: Pick<Contents, "head" | "items">): boolean {
  return [...contents.items.values()].filter(({ state }) => state === "done").length >= contents.head.total;
}

/** Whether a journal has something to tell: an unknown outcome, a value not delivered, or a job not finished. */
export function hasSomethingToTell(contents: Contents): boolean {
  const states = [...contents.items.values()].map(({ state }) => state);
  if (contents.isDamaged || states.some((state) => state !== "done" && state !== "failed")) return true;
  return isJob(contents.head) && !isFinished(contents);
}
