// Markers of finished shards. A job is done only when all its shards are, and they may run on different machines, so
// each finished shard leaves a small file. The file contains no secret and stays until `grantctl recover forget`
// deletes it.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { usageFailure } from "../errors/errors.ts";
import { readPlainFile } from "../files/bounded-reads.ts";
import { removeFile, replaceFile } from "../files/replace-file.ts";
import { preparePrivateFolder } from "../files/trusted.ts";
import type { Head } from "./entries.ts";
import { hashOf } from "./hashes.ts";
import { operations } from "./operations.ts";
import { stateFolderPurpose } from "./state-folder.ts";

const suffix = ".finished";

const finishedShard = v.object({
  version: v.literal(1),
  operation: v.picklist(operations),
  address: v.string(),
  /** ISO 8601. */
  created_at: v.string(),
  total: v.number(),
  /** A hash over the whole input that the shard was taken from. */
  input: v.string(),
  /** `i/n`. */
  shard: v.string(),
  /** When the previous run that finished the same shard of the same list began. */
  previous_created_at: v.optional(v.string()),
});

/** A finished shard, with its ID for `grantctl recover`. */
export type FinishedShard = v.InferOutput<typeof finishedShard> & { readonly id: string };

/** The head fields that identify the shards of one job across machines. */
type ShardHead = Pick<Head, "operation" | "address" | "list" | "input" | "shard">;

/** The name of the job that a shard belongs to; null if the head is not a shard's. */
export function shardJobId({ operation, address, list, input, shard }: ShardHead): string | null {
  if (shard === undefined || operation === "unknown") return null;
  const [, count] = shard.split("/");
  // Journals of 0.1.0 have no `input`: the shard's own list takes its place, so each shard is a job of its own.
  return `job-${hashOf([operation, address, count, input ?? list].join("\n")).slice(0, 12)}`;
}

/** Writes the marker file of a finished shard. Does nothing for a head without a shard. */
export async function writeFinishedShard(folder: string, head: Head, userId: number | null): Promise<void> {
  const job = shardJobId(head);
  if (job === null || head.shard === undefined) return;
  const { operation, address, created_at, total, list, input = list, shard } = head;
  await preparePrivateFolder(folder, stateFolderPurpose, userId);
  const path = join(folder, `${job}-${shard.replace("/", "of")}${suffix}`);
  const before = await readFinishedShard(path);
  // A journal is settled twice if its deletion was interrupted.
  const previous_created_at =
    before?.created_at === created_at ? before.previous_created_at : before?.created_at;
  const record = { version: 1, operation, address, created_at, total, input, shard, previous_created_at };
  await replaceFile(path, `${JSON.stringify(record)}\n`);
}

/** The finished shards in a folder, sorted by name. Throws the system's error if the folder cannot be read. */
export async function readFinishedShards(folder: string): Promise<readonly FinishedShard[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix)).toSorted();
  const found = names.map(async (name) => {
    const shard = await readFinishedShard(join(folder, name));
    return shard === null ? [] : [{ ...shard, id: name.slice(0, -suffix.length) }];
  });
  return (await Promise.all(found)).flat();
}

/** An unreadable file proves nothing: its shard counts as unfinished. */
async function readFinishedShard(path: string): Promise<v.InferOutput<typeof finishedShard> | null> {
  const text = await readPlainFile(path).then(String, () => "");
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), finishedShard), text);
  return parsed.success ? parsed.output : null;
}

/**
 * True if a marker is left from an earlier run over the same list: another shard of the job has run again since, and
 * this one began closer to that shard's earlier run than to its later one.
 */
export function isOfEarlierRun(shard: FinishedShard, others: readonly FinishedShard[]): boolean {
  const began = Date.parse(shard.created_at);
  return others.some(({ created_at: later, previous_created_at: earlier }) => {
    if (earlier === undefined) return false;
    return Math.abs(began - Date.parse(earlier)) < Math.abs(began - Date.parse(later));
  });
}

/**
 * The finished shards in this user's folder; none if it does not exist. Throws a usage failure if it is unreadable.
 */
export async function ownFinishedShards(folder: string): Promise<readonly FinishedShard[]> {
  try {
    return await readFinishedShards(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw usageFailure(`the state directory ${folder} cannot be read (${code ?? "unknown error"})`);
  }
}

/** Deletes the file of a finished shard. Throws a usage failure if it cannot be deleted. */
export async function deleteFinishedShard(folder: string, { id }: FinishedShard): Promise<void> {
  await removeFile(join(folder, `${id}${suffix}`));
}
