// State folders of other machines, or of other containers on this one. They are read and never changed, because this
// machine cannot know whether the runs that hold their locks are still going.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { isOfLaterVersion, readContents, withoutUnsent } from "./entries.ts";
import { finishedShardsIn, type FinishedShard } from "./finished-shards.ts";
import { idOf, suffix } from "./journal.ts";
import { unreadable } from "./journals.ts";
import type { LaterLeftover, Leftover } from "./leftover.ts";
import { isBlankFile, readRecords } from "./record-file.ts";

export interface FolderContents {
  readonly folder: string;
  /** Every journal, even of runs that are still going. */
  readonly journals: readonly Leftover[];
  readonly later: readonly LaterLeftover[];
  readonly finished: readonly FinishedShard[];
}

/** Reads a state folder without changing it. Throws a usage failure where it is unreadable, or required and missing. */
export async function readStateFolder(
  folder: string,
  { bootId, isOptional }: { readonly bootId: string | null; readonly isOptional: boolean },
): Promise<FolderContents> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(suffix)).toSorted();
    const journals: Leftover[] = [];
    const later: LaterLeftover[] = [];
    for (const name of names) {
      const path = join(folder, name);
      const id = idOf(path);
      const read = await readRecords(path).catch((error: unknown) => codeOf(error) ?? "unknown error");
      if (typeof read === "string") {
        // A job that ended meanwhile has deleted its journal; any other that cannot be read is damaged.
        if (read !== "ENOENT") journals.push({ id, path, contents: unreadable });
        continue;
      }
      const contents = readContents(read);
      if (isOfLaterVersion(read.records)) later.push({ id, path });
      else if (contents !== null) journals.push({ id, path, contents: withoutUnsent(contents, bootId) });
      else if (!(await isBlankFile(path))) journals.push({ id, path, contents: unreadable });
    }
    // Read after the journals, so that a shard that finishes in between is seen twice rather than not at all.
    return { folder, journals, later, finished: await finishedShardsIn(folder) };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" && isOptional) return { folder, journals: [], later: [], finished: [] };
    const why =
      code === "ENOENT" ? "there is no state folder at" : `(${code}) no state folder can be read at`;
    throw usageFailure(`${why} ${foreign(folder)}`, "name folders that GRANTCTL_STATE_DIR was set to");
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
