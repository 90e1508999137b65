// Reads a snapshot, piece by piece: its items are checked as they come and kept packed, so that a file of any size takes
// a fraction of itself.
import * as v from "valibot";
import { LosslessNumber } from "lossless-json";
import type { Id } from "../api/resources.ts";
import { parseJson } from "../json/exact-json.ts";
import { textOf } from "../printing/presentation.ts";
import { compareIds, keyOfId } from "./item.ts";
import { createPackedTexts, type PackedTexts } from "./packed-texts.ts";
import {
  snapshotLists,
  snapshotVersion,
  type Snapshot,
  type SnapshotItem,
  type SnapshotList,
} from "./snapshot.ts";

/** Thrown for a file that is not a snapshot; the message says why, as the end of a sentence. */
export class NoSnapshot extends Error {
  override readonly name = "NoSnapshot";
}

const damaged = "it is damaged, or not a snapshot at all";

const textOrNull = v.nullable(v.string());
const itemSchema = v.object({
  id: v.union([v.pipe(v.number(), v.integer()), v.instance(LosslessNumber)]),
  name: v.string(),
  application: textOrNull,
  client_id: textOrNull,
  scopes: v.nullable(v.array(v.string())),
  created_at: textOrNull,
  updated_at: textOrNull,
  expires_at: textOrNull,
  expired: v.boolean(),
  hashed_token: textOrNull,
});
const listSchema = v.nullable(v.array(v.unknown()));
const documentSchema = v.object({
  grantctl_audit: v.literal(snapshotVersion),
  account: v.string(),
  base_url: v.string(),
  operator: v.string(),
  organization: textOrNull,
  grants: listSchema,
  authorizations: listSchema,
  credentials: listSchema,
});

/** Reads the pieces of a snapshot, every item of it. Throws NoSnapshot, and what the pieces throw. */
export async function readSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<Snapshot> {
  const lines = {
    grants: createItemLines(),
    authorizations: createItemLines(),
    credentials: createItemLines(),
  };
  let current: ItemLines | null = null;
  /** The document without the items that have a line of their own. */
  let rest = "";
  for await (const line of linesOf(pieces)) {
    if (isItemLine(line)) current?.add(line.trim().replace(/,$/, ""));
    else {
      rest += `${line}\n`;
      const name = /^ *"(\w+)": \[/.exec(line)?.[1];
      if (name !== undefined) current = name in lines ? lines[name as SnapshotList] : null;
    }
  }
  const frame = v.safeParse(documentSchema, parseFrame(rest));
  if (!frame.success) throw new NoSnapshot(damaged);
  const { account, base_url, operator, organization } = frame.output;
  const snapshot: Snapshot = {
    owner: { account, base_url, operator, organization },
    has: (list) => frame.output[list] !== null,
    *items(list) {
      yield* lines[list].items();
      // If another program has reformatted the file, an item has several lines.
      for (const item of frame.output[list] ?? []) yield checkItem(item);
    },
  };
  for (const list of snapshotLists) {
    lines[list].end();
    const isWhole = lines[list].isInOrder() && frame.output[list]?.length === 0;
    const twice = isWhole ? null : findRepeated(snapshot.items(list));
    if (twice !== null) throw new NoSnapshot(`it is damaged: ${list} has ${twice} twice`);
  }
  return snapshot;
}

/** Lines that each hold an item. */
interface ItemLines {
  add(line: string): void;
  /** Called after the last line. Throws NoSnapshot if a line was not an item. */
  end(): void;
  /** Whether the items are in the order in which grantctl writes them; then none comes twice. */
  isInOrder(): boolean;
  items(): Generator<SnapshotItem>;
}

/** How much text is packed at a time. */
const packedLength = 16 * 1024;

function createItemLines(): ItemLines {
  const packed: PackedTexts = createPackedTexts();
  let waiting: string[] = [];
  let length = 0;
  let previous: Id | null = null;
  let isInOrder = true;
  let failure: unknown = null;
  const pack = (): void => {
    if (waiting.length > 0) packed.add(Buffer.from(waiting.join("\n")));
    waiting = [];
    length = 0;
  };
  return {
    add(line) {
      try {
        const { id } = readItem(line);
        if (previous !== null && compareIds(previous, id) >= 0) isInOrder = false;
        previous = id;
      } catch (error) {
        // A snapshot of a newer version may hold other items; then the message is about its version.
        failure ??= error;
      }
      waiting.push(line);
      length += line.length;
      if (length > packedLength) pack();
    },
    end() {
      pack();
      if (failure !== null) throw failure;
    },
    isInOrder: () => isInOrder,
    *items() {
      for (const text of packed.texts()) for (const line of text.split("\n")) yield readItem(line);
    },
  };
}

/** An identifier that comes twice; null for none. */
function findRepeated(items: Iterable<SnapshotItem>): string | null {
  const ids = new Set<number | string>();
  for (const { id } of items) {
    if (ids.has(keyOfId(id))) return textOf(id);
    ids.add(keyOfId(id));
  }
  return null;
}

function parseFrame(text: string): unknown {
  const document = parseOrRefuse(text);
  if (typeof document === "object" && document !== null && "grantctl_audit" in document) {
    const version = document.grantctl_audit;
    if (typeof version === "number" && version > snapshotVersion) {
      throw new NoSnapshot(
        `a newer grantctl wrote it, in version ${version}; this one reads ${snapshotVersion}`,
      );
    }
  }
  return document;
}

function isItemLine(line: string): boolean {
  return /^ *\{"id":.*\},?\r?$/s.test(line);
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch {
      throw new NoSnapshot(damaged);
    }
  };
  let begun = "";
  for await (const piece of pieces) {
    const [first = "", ...others] = decode(piece).split("\n");
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
  begun += decode();
  if (begun !== "") yield begun;
}

function readItem(line: string): SnapshotItem {
  return checkItem(parseOrRefuse(line));
}

function checkItem(value: unknown): SnapshotItem {
  const checked = v.safeParse(itemSchema, value);
  if (!checked.success) throw new NoSnapshot("it is damaged: an item of it is not whole");
  return checked.output;
}

function parseOrRefuse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new NoSnapshot(damaged);
  }
}
