// Shards: a list divided among several machines with --shard I/N. An item's shard depends only on the item, and not on the
// order of the list, the machine or the version: every item is in exactly one shard.
import { usageFailure } from "../errors/errors.ts";
import { hashOfList } from "../journal/hashes.ts";
import type { Command } from "commander";
import { hash } from "node:crypto";

/** True if an item, an id in digits or a token, belongs to a shard: by the first 48 bits of its SHA-256. */
export function isInShard(item: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash("sha256", item, "hex").slice(0, 12), 16) % count === index - 1;
}

/** The items of this run's shard, in their order; all items without --shard. */
export function itemsOfShard(items: readonly string[], { shard }: ShardOptions): readonly string[] {
  return shard === undefined ? items : items.filter((item) => isInShard(item, shard));
}

/** Adds the hash of the whole input to the options of a shard, by which the shards of one job are recognised. */
export function withInput<Options extends ShardOptions>(options: Options, items: readonly string[]): Options {
  return options.shard === undefined ? options : { ...options, wholeInput: hashOfList(items) };
}

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
const firstOfFour = "Use --shard 1/4 for the first of four parts.";

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
      `Use --shard 1/${count} for the first part.`,
    );
  }
  if (index > count) {
    throw usageFailure(
      `--shard ${text} does not exist: there ${count === 1 ? "is only 1 part" : `are only ${count} parts`}`,
      `Use --shard ${count}/${count} for the last part.`,
    );
  }
  return { index, count };
}

/** A shard as it was typed. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
