// The flag --shard, which selects one shard of a list. shard.ts decides which items are in a shard: it is loaded apart,
// because hashes take longer to load than a list that has no shards.
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

/** Adds `--shard`. */
export function addShardOption(command: Command): Command {
  return command.option(
    "--shard <i/n>",
    "Process only part i of n (1/4 to 4/4); an item is always in the same part",
    parseShard,
  );
}

const mostParts = 999_999_999;
const firstOfFour = "--shard 1/4 is the first of four parts";

/** Reads `i/n`; throws a usage failure. */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined) {
    throw usageFailure("--shard is not two numbers", firstOfFour);
  }
  if (count > mostParts) throw usageFailure(`--shard takes at most ${mostParts} parts`, firstOfFour);
  if (count === 0)
    throw usageFailure(`--shard ${text} does not exist: of 0 parts there is none`, firstOfFour);
  if (index === 0) {
    throw usageFailure(
      `--shard ${text} does not exist: parts count from 1`,
      `the first part is --shard 1/${count}`,
    );
  }
  if (index > count) {
    throw usageFailure(
      `--shard ${text} does not exist: there ${count === 1 ? "is only 1 part" : `are only ${count} parts`}`,
      `the last part is --shard ${count}/${count}`,
    );
  }
  return { index, count };
}

/** A shard as it was typed. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
