// The flag that asks for one of several parts of a list. What is in a part is shard.ts.
import { Option, type Command } from "commander";
import { usageFailure } from "../errors/errors.ts";

/** The part with this number, of so many. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

export interface ShardOptions {
  readonly shard?: Shard;
}

/** Adds --shard. */
export function addShardOption(command: Command): Command {
  return command.addOption(
    new Option(
      "--shard <i/n>",
      "only part i of n, from 1/n to n/n; an item is always in the same part",
    ).argParser(parseShard),
  );
}

/** Reads `i/n`; throws a usage failure. */
export function parseShard(text: string): Shard {
  const [, index, count] = (/^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined) {
    throw usageFailure("--shard is not two numbers", "--shard 1/4 is the first of four parts");
  }
  if (index < 1 || index > count) {
    throw usageFailure(
      `--shard ${text} does not exist: parts count from 1`,
      index === 0 && count > 0
        ? `the first part is --shard 1/${count}`
        : "--shard 1/4 is the first of four parts",
    );
  }
  return { index, count };
}

/** A shard as it was typed. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
