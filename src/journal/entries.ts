// What a journal's records mean: a head that says what was to be done, and for each item what became of it. Holds no
// secret but the answers that hold a token's value, and those only until it was delivered.
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

/** Whether what was sent and not answered is left alone: nothing that could be asked says what became of it. */
export function isNeverRepeated(operation: Head["operation"]): boolean {
  return operation === "report";
}

/** Whether the answer to an operation holds a token's value. */
export function makesValues(operation: Head["operation"]): boolean {
  return (
    operation === "create" || operation === "get-or-create" || operation === "reset" || operation === "rotate"
  );
}

/** What tells a job from a single request. */
type JobForm = Pick<Head, "total" | "operation"> & { readonly shard?: unknown };

/** Whether a journal is of a job, which its input and --resume take up again, and not of a single request for a value. */
export function isJob({ total, shard, operation }: JobForm): boolean {
  if (operation === "unknown") return false;
  // A rotation has more to do than to deliver.
  return total > 1 || shard !== undefined || !makesValues(operation) || operation === "rotate";
}

const head = v.object({
  version: v.literal(1),
  operation: v.picklist(operations),
  /** The base URL. */
  address: v.string(),
  /** Which kind of server that was; absent in journals of versions that knew one kind. */
  operator: v.optional(v.picklist(operatorNames)),
  /** Who asked: a hash of the user name, or of the client ID. */
  requester: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  total: v.number(),
  /** A hash over all items, in any order. */
  list: v.string(),
  /** `i/n`, where the items are one shard of the input. */
  shard: v.optional(v.string()),
  /** A hash over the whole input of which that is a shard. */
  input: v.optional(v.string()),
  /** Which file takes the values. */
  output: v.optional(v.string()),
  /** Of a rotation that leaves the old tokens alive. */
  keepsOld: v.optional(v.boolean()),
});

/** What a rotated token is told by, and its successor in the end. */
const names = v.object({ note: v.nullable(v.string()), fingerprint: v.nullable(v.string()) });

/** A later run of the job gives its values to another file. */
const otherOutputFile = v.object({ output: v.string() });

const entry = v.object({
  /** The item's hash. */
  item: v.string(),
  /**
   * planned: it may be sent from now on, and only a power cut can have lost that it was. sent: on its way, or never
   * answered. answered: the answer is here, its value not delivered yet. done: finished,
   * whatever had to be delivered was. failed: known not to have changed anything.
   */
  state: v.picklist(["planned", "sent", "answered", "done", "failed"]),
  /** The token's last eight characters, where the item is one. */
  last_eight: v.optional(v.string()),
  /** The raw answer, in base64. */
  body: v.optional(v.string()),
  /** The same, sealed: on disk it stands instead. */
  sealed: v.optional(v.string()),
  /** What a later look at the service said of an unknown outcome. */
  known: v.optional(v.string()),
  /** It took effect, as proven credentials found, and the value that it made is nowhere. */
  isLost: v.optional(v.boolean()),
  /**
   * How far a rotation is behind the answer to its creation. delivered: whoever was to have the value has it. proven:
   * the service took the new token. gone: the old one is.
   */
  step: v.optional(v.picklist(["delivered", "proven", "gone"])),
  /** Of a rotation: what the old token is told by, and the new one until the old one is gone. */
  old: v.optional(names),
  interim: v.optional(names),
  /** Notes of creations of the same rotation that were sent, and of which no value came. */
  lost: v.optional(v.array(v.string())),
  /** Of a planned one: during which start of the machine it was; absent where that cannot be known. */
  boot: v.optional(v.string()),
});

/** A head; `unknown` stands for one that cannot be read any more. */
export type Head = Omit<v.InferOutput<typeof head>, "operation"> & {
  readonly operation: JournalOperation | "unknown";
};
export type Entry = v.InferOutput<typeof entry>;

/** What the records of one file say: the head, and the latest entry of each item. */
export interface Contents {
  readonly head: Head;
  readonly items: ReadonlyMap<string, Entry>;
  /** The files that its runs gave values to. */
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

/** Stands in for a head that cannot be read: nothing goes on with it, and its values can still be had. */
function lostHead(total: number): Head {
  return { version: 1, operation: "unknown", address: "", requester: "", created_at: "", total, list: "" };
}

/**
 * What is left of the items when the run is over that wrote them. What was planned during this start of the machine was
 * not sent, or it would say so: only a power cut can lose that. In a damaged journal nobody knows.
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

/** Whether every item is done. */
export function isFinished(contents: Pick<Contents, "head" | "items">): boolean {
  return [...contents.items.values()].filter(({ state }) => state === "done").length >= contents.head.total;
}

/** Something was sent of which the end is not known, a value waits, or a job of many is not finished. */
export function hasSomethingToTell(contents: Contents): boolean {
  const states = [...contents.items.values()].map(({ state }) => state);
  if (contents.isDamaged || states.some((state) => state !== "done" && state !== "failed")) return true;
  return isJob(contents.head) && !isFinished(contents);
}
