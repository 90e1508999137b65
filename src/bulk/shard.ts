// One of several parts of a list, for work on several machines. Which part an item belongs to depends on itself alone,
// so that the parts are the same in any order, on any machine and in any version: together they are the whole list,
// and no item is in two of them.
import { hash } from "node:crypto";
import { hashOfList } from "../journal/hashes.ts";
import type { Shard, ShardOptions } from "./shard-option.ts";

/** Whether an item, an id in digits or a token, belongs to a shard: by the first 48 bits of its SHA-256. */
export function isInShard(item: string, { index, count }: Shard): boolean {
  return Number.parseInt(hash("sha256", item, "hex").slice(0, 12), 16) % count === index - 1;
}

/** The items of this run's shard, in their order; all of them where none was asked for. */
export function itemsOfShard(items: readonly string[], { shard }: ShardOptions): readonly string[] {
  return shard === undefined ? items : items.filter((item) => isInShard(item, shard));
}

/** The options of a run, which then know of which input its shard is one: by that, shards are known to be of one job. */
export function withInput<Options extends ShardOptions>(options: Options, items: readonly string[]): Options {
  return options.shard === undefined ? options : { ...options, wholeInput: hashOfList(items) };
}
