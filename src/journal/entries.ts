// What a journal's records mean: a head that says what was to be done, and for each item what became of it. Holds no
// secret but the answers that hold a token's value, and those only until it was delivered.
import * as v from "valibot";
import { operatorNames } from "../operators.ts";

export const operations = [
  "create",
  "get-or-create",
  "reset",
  "revoke",
  "revoke-grant",
  "delete-grant",
  "delete-authorization",
] as const;
export type JournalOperation = (typeof operations)[number];

/** Whether the answer to an operation holds a token's value. */
export function makesValues(operation: JournalOperation): boolean {
  return operation === "create" || operation === "get-or-create" || operation === "reset";
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
});

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
});

export type Head = v.InferOutput<typeof head>;
export type Entry = v.InferOutput<typeof entry>;

/** What the records of one file say: the head, and the latest entry of each item. */
export interface Contents {
  readonly head: Head;
  readonly items: ReadonlyMap<string, Entry>;
}

/** Reads records; null when they are no journal of a version known here. */
export function readContents(records: readonly unknown[]): Contents | null {
  const first = v.safeParse(head, records[0]);
  if (!first.success) return null;
  const items = new Map<string, Entry>();
  for (const record of records.slice(1)) {
    const parsed = v.safeParse(entry, record);
    if (!parsed.success) return null;
    const { output } = parsed;
    const before = items.get(output.item);
    items.set(output.item, { ...before, ...output });
  }
  return { head: first.output, items };
}
