// Shards: a list divided among several machines with --shard I/N. An item's shard depends only on the item, not on the
// order of the list, the machine or the version, so every item is in exactly one shard.
import { hashOfList } from "../journal/hashes.ts";
import type { Shard, ShardOptions } from "./job-options.ts";
import { hash } from "node:crypto";

/** True if an item (the digits of an ID, or a token) belongs to a shard, by the first 48 bits of its SHA-256. */
export function isInShard(item: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash("sha256", item, "hex").slice(0, 12), 16) % count === index - 1;
}

/** The items of this run's shard, in their order; all items without --shard. */
export function itemsOfShard(items: readonly string[], { shard }: ShardOptions): readonly string[] {
  return shard === undefined ? items : items.filter((item) => isInShard(item, shard));
}

/** Adds the hash of the whole input to the options of a shard. It identifies the shards of one job. */
export function withInput<Options extends ShardOptions>(options: Options, items: readonly string[]): Options {
  return options.shard === undefined ? options : { ...options, wholeInput: hashOfList(items) };
}
