// The record format of a journal: a head that describes the job, then entries that record the state of each item. The
// only secrets are responses that contain a new token. They stay until the token is delivered or, with
// `keepsDelivered`, until the job ends.
import * as v from "valibot";
import { serverTypeNames } from "../server-types.ts";
import { isJob, operations, type JournalOperation } from "./operations.ts";
import type { ReadRecords } from "./record-file.ts";

const head = v.object({
  version: v.literal(1),
  operation: v.picklist(operations),
  /** The base URL. */
  address: v.string(),
  /** Absent in journals of versions that supported only one server type. */
  server_type: v.optional(v.picklist(serverTypeNames)),
  /** A hash of the user name or client ID that the requests authenticate as. */
  requester: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  total: v.number(),
  /** A hash over all items, independent of their order. */
  list: v.string(),
  /** The identity of the file that the new tokens are written to; `command` for a command (jobs/resume-hint.ts). */
  output: v.optional(v.string()),
  /** For a rotation: the old tokens are not deleted. */
  keepsOld: v.optional(v.boolean()),
  /** Delivered tokens stay in the journal until the job ends, because a resumed run may truncate the output file. */
  keepsDelivered: v.optional(v.boolean()),
});

/** The note and fingerprint of a rotated token. Its successor gets them in the last step. */
const names = v.object({ note: v.nullable(v.string()), fingerprint: v.nullable(v.string()) });

/** An authorization that is deleted and created anew, and the fields that the new one keeps. */
const replaced = v.object({
  id: v.string(),
  scopes: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  note: v.optional(v.string()),
  note_url: v.optional(v.string()),
});
export type Replaced = v.InferOutput<typeof replaced>;

/** Added by a later run of the job that writes its tokens to another file. */
const otherOutputFile = v.object({ output: v.string() });

/** The IDs of all items in input order. A separate record, because the head has to stay short. */
const allIds = v.object({ ids: v.pipe(v.array(v.string()), v.readonly()) });

/** A record that describes the job rather than an item. */
export type HeadAddition = v.InferOutput<typeof otherOutputFile> | v.InferOutput<typeof allIds>;

/** The token of `authorization run`. Its fingerprint finds it even if the response to its creation was lost. */
const runToken = v.object({
  note: v.string(),
  fingerprint: v.string(),
  /** Its ID, in decimal digits; absent until the response to its creation arrives. */
  id: v.optional(v.string()),
});
export type RunToken = v.InferOutput<typeof runToken>;

const entry = v.object({
  /** The item's hash. */
  item: v.string(),
  /**
   * planned: may be sent at any moment; only a power cut can lose the record that it was.
   * sent: in flight, or no response arrived.
   * answered: the response is in the journal; its token is not delivered yet.
   * done: finished, and its token, if any, delivered.
   * failed: nothing was changed, for certain.
   */
  state: v.picklist(["planned", "sent", "answered", "done", "failed"]),
  /** With `failed`: the run ended before the item's turn. */
  isUntried: v.optional(v.boolean()),
  /** The token's last eight characters, if the item is a token. */
  last_eight: v.optional(v.string()),
  /** The raw response, in base64. */
  body: v.optional(v.string()),
  /** The result of looking up an unknown outcome, as a clause for messages. */
  known: v.optional(v.string()),
  /** The reset took effect, but the new token never arrived: proven credentials no longer find the old token. */
  isLost: v.optional(v.boolean()),
  /**
   * The latest step of a rotation after the new token was created. delivered: the receiver has the new token. proven:
   * the service accepted the new token. gone: the old token is deleted.
   */
  step: v.optional(v.picklist(["delivered", "proven", "gone"])),
  /** For a rotation: the names of the old token, and the interim names of the new one until the old one is deleted. */
  old: v.optional(names),
  interim: v.optional(names),
  /** Notes of tokens that earlier attempts of this rotation may have created without receiving the response. */
  lost: v.optional(v.array(v.string())),
  /** With `sent`: the authorization that is deleted first. */
  replaces: v.optional(replaced),
  /** The kept response holds the token of another item, so it is never delivered. */
  isUnfit: v.optional(v.boolean()),
  /** For a rotation: when the creation of the new token was first planned, ISO 8601. */
  asked_at: v.optional(v.string()),
  /** For `authorization run`: the token to delete when its command has ended. */
  run: v.optional(runToken),
  /** With `planned`: the machine's boot ID when the entry was written; absent if unknown. */
  boot: v.optional(v.string()),
});

/** The operation is `unknown` if the head is unreadable. */
export type Head = Omit<v.InferOutput<typeof head>, "operation"> & {
  readonly operation: JournalOperation | "unknown";
};
export type Entry = v.InferOutput<typeof entry>;

/** The contents of one journal: its head, and the latest entry of each item. */
export interface Contents {
  readonly head: Head;
  readonly items: ReadonlyMap<string, Entry>;
  /** The identities of the files that its runs wrote tokens to. */
  readonly outputFiles: readonly string[];
  /** The IDs of all items; null if the journal does not keep them, as for tokens. */
  readonly ids: readonly string[] | null;
  /** True if a record in the middle is unreadable, so that entries may be missing. */
  readonly isDamaged: boolean;
}

/** Stands for the contents of a journal that a later version of grantctl wrote. */
export const laterVersion = "later version";

/**
 * Parses the records of a journal, without items that were certainly not sent (`dropUnsentItems`). Returns null if the
 * records are not those of a journal.
 */
export function readContents(
  { records, isDamaged }: Pick<ReadRecords, "records" | "isDamaged">,
  bootId: string | null,
): Contents | typeof laterVersion | null {
  const first = v.safeParse(head, records[0]);
  if (v.is(v.object({ version: v.pipe(v.number(), v.minValue(2)) }), records[0])) return laterVersion;
  const items = new Map<string, Entry>();
  const outputFiles: string[] =
    first.success && first.output.output !== undefined ? [first.output.output] : [];
  let ids: readonly string[] | null = null;
  for (const record of first.success ? records.slice(1) : records) {
    const parsed = v.safeParse(entry, record);
    const change = v.safeParse(otherOutputFile, record);
    const named = v.safeParse(allIds, record);
    if (parsed.success)
      items.set(parsed.output.item, mergeEntry(items.get(parsed.output.item), parsed.output));
    else if (change.success) outputFiles.push(change.output.output);
    else if (named.success) ids = named.output.ids;
    else return null;
  }
  if (first.success)
    return dropUnsentItems({ head: first.output, items, outputFiles, ids, isDamaged }, bootId);
  // Entries without a head: the head's line is missing or unreadable.
  return items.size === 0
    ? null
    : { head: placeholderHead(items.size), items, outputFiles, ids, isDamaged: true };
}

/** The contents of an entirely unreadable journal. */
export const unreadable: Contents = {
  head: placeholderHead(0),
  items: new Map(),
  outputFiles: [],
  ids: null,
  isDamaged: true,
};

function isFinished(contents: Pick<Contents, "head" | "items">): boolean {
  return [...contents.items.values()].filter(({ state }) => state === "done").length >= contents.head.total;
}

/** True if a journal must be kept: it has an unknown outcome, an undelivered token or an unfinished job. */
export function mustBeKept(contents: Contents): boolean {
  const states = [...contents.items.values()].map(({ state }) => state);
  if (contents.isDamaged || states.some((state) => state !== "done" && state !== "failed")) return true;
  return isJob(contents.head) && !isFinished(contents);
}

/**
 * Merges a record into an item's entry. A failed replacement counts as sent, because the old authorization is already
 * deleted.
 */
function mergeEntry(before: Entry | undefined, record: Entry): Entry {
  const { isUntried: _, ...rest } = before ?? {};
  const after = { ...rest, ...record };
  return after.state === "failed" && after.replaces !== undefined ? { ...after, state: "sent" } : after;
}

/** Placeholder for an unreadable head: the job cannot be resumed, but its tokens can still be shown. */
function placeholderHead(total: number): Head {
  return { version: 1, operation: "unknown", address: "", requester: "", created_at: "", total, list: "" };
}

/**
 * Drops items that were certainly not sent: those planned since the last boot. Only a power cut can lose the record
 * that an item was sent, so without a reboot, `planned` means not sent. In a damaged journal nothing is certain.
 */
function dropUnsentItems(contents: Contents, bootId: string | null): Contents {
  if (contents.isDamaged || bootId === null) return contents;
  const items = [...contents.items].filter(
    ([, { state, boot, isLost, lost }]) =>
      state !== "planned" || boot !== bootId || isLost === true || lost !== undefined,
  );
  return { ...contents, items: new Map(items) };
}
