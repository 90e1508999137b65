// The flags of jobs: --resume, and --shard to divide a list among several machines. Separate from the jobs themselves,
// because help needs the flags and must not load the code that runs a job.
import type { Command } from "commander";
import { usageFailure } from "../errors/errors.ts";

export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

export interface ShardOptions {
  readonly shard?: Shard;
  /** A hash of the whole input that the shard is taken from; set by `withInput`, not by the flag. */
  readonly wholeInput?: string;
}

export function addShardOption(command: Command): Command {
  return command.option(
    "--shard <i/n>",
    "Process only part i of n (for example, 1/4); a given item is always in the same part",
    parseShard,
  );
}

const mostParts = 999_999_999;
const firstOfFour = "Use --shard 1/4 for the first of four parts.";

/** Reads `i/n`; throws a usage failure. */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined) {
    throw usageFailure("--shard must have the form i/n", firstOfFour);
  }
  if (count > mostParts) throw usageFailure(`--shard takes at most ${mostParts} parts`, firstOfFour);
  if (count === 0) throw usageFailure(`--shard ${text}: the number of parts must be at least 1`, firstOfFour);
  if (index === 0) {
    throw usageFailure(
      `--shard ${text}: parts are numbered from 1`,
      `Use --shard 1/${count} for the first part.`,
    );
  }
  if (index > count) {
    throw usageFailure(
      `--shard ${text}: there ${count === 1 ? "is only 1 part" : `are only ${count} parts`}`,
      `Use --shard ${count}/${count} for the last part.`,
    );
  }
  return { index, count };
}

export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}

export interface JobOptions extends ShardOptions {
  readonly resume?: string;
}

export function addJobOptions(command: Command, input = "with the same input"): Command {
  return addShardOption(
    command.option("--resume <id>", `Continue the interrupted job with this ID (${input})`),
  );
}

/** True if the report of these items is a list: for several items, and for a shard even with a single one. */
export function isJobOf(items: readonly unknown[], { shard }: ShardOptions): boolean {
  return items.length > 1 || shard !== undefined;
}
