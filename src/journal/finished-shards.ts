// A finished shard leaves a small file as its proof: a job is done only when all its shards are, which may run on
// different machines. The file holds no secret, and stays until `grantctl recover forget` deletes it.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { usageFailure } from "../errors/errors.ts";
import { preparePrivateFolder } from "../files/private-folder.ts";
import { removeFile, replaceFile } from "../files/replace-file.ts";
import { operations, type Head } from "./entries.ts";
import { hashOf } from "./hashes.ts";
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
});

/** A finished shard, with the id that `grantctl recover` takes. */
export type FinishedShard = v.InferOutput<typeof finishedShard> & { readonly id: string };

/** The fields of a head by which the shards of one job are recognised, on every machine. */
type ShardHead = Pick<Head, "operation" | "address" | "list" | "input" | "shard">;

/** The name of the job that a shard is part of; null for a journal of no shard. */
export function jobOfShard({ operation, address, list, input, shard }: ShardHead): string | null {
  if (shard === undefined || operation === "unknown") return null;
  const [, count] = shard.split("/");
  // Journals of 0.1.0 have no `input`: the shard's own list takes its place, so each shard is a job by itself.
  return `job-${hashOf([operation, address, count, input ?? list].join("\n")).slice(0, 12)}`;
}

/** Writes to disk that the shard with this head is finished. Does nothing for a head without a shard. */
export async function noteFinished(folder: string, head: Head, userId: number | null): Promise<void> {
  const job = jobOfShard(head);
  if (job === null || head.shard === undefined) return;
  const { operation, address, created_at, total, list, input = list, shard } = head;
  await preparePrivateFolder(folder, stateFolderPurpose, userId);
  const record = { version: 1, operation, address, created_at, total, input, shard };
  const id = `${job}-${shard.replace("/", "of")}`;
  await replaceFile(join(folder, `${id}${suffix}`), `${JSON.stringify(record)}\n`);
}

/** The finished shards in a folder, by their names. Throws the system's error for a folder that cannot be read. */
export async function finishedShardsIn(folder: string): Promise<readonly FinishedShard[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix)).toSorted();
  const found = names.map(async (name) => {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), finishedShard), text);
    return parsed.success ? [{ ...parsed.output, id: name.slice(0, -suffix.length) }] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * The finished shards in this user's folder; none where it does not exist. Throws a usage failure if it is unreadable.
 */
export async function ownFinishedShards(folder: string): Promise<readonly FinishedShard[]> {
  try {
    return await finishedShardsIn(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw usageFailure(`the state folder ${folder} cannot be read (${code ?? "unknown error"})`);
  }
}

/** Deletes the file of a finished shard. Throws a usage failure where it cannot be deleted. */
export async function forgetFinished(folder: string, { id }: FinishedShard): Promise<void> {
  await removeFile(join(folder, `${id}${suffix}`));
}
