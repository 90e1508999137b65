// What a job is told: which items, what is done with one of them, and how what was made of it gets out; and the flags of
// jobs.
import { Option, type Command } from "commander";
import type { Intent } from "../http/request.ts";
import type { Entry, JournalOperation } from "../journal/entries.ts";
import type { Proof } from "./proof.ts";
import type { Vet } from "./run-items.ts";
import { addShardOption, type ShardOptions } from "./shard-option.ts";
import type { ItemRecord } from "./taken-up.ts";

export interface JobOptions extends ShardOptions {
  readonly resume?: string;
}

/** Adds --resume and --shard. */
export function addJobOptions(command: Command): Command {
  return addShardOption(
    command.addOption(
      new Option("--resume <journal>", "take an interrupted job up again; give it the same input as before"),
    ),
  );
}

/** Whether these items are a job, reported as a list: several, or a shard, whose size nobody knows beforehand. */
export function isJobOf(items: readonly string[], { shard }: ShardOptions): boolean {
  return items.length > 1 || shard !== undefined;
}

export interface JobPlan<Result> {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  readonly items: readonly string[];
  /** The items as arguments, where they were not typed but picked. */
  readonly picked?: readonly string[];
  /** What tells the file that takes the values from others. */
  readonly outputFile?: string;
  /** What a success of `act`, `vet` or `takeUp` gives. */
  readonly proof: Proof;
  /** A read that settles what many "not found" mean, before more is changed. */
  readonly vet: Vet<string>;
  /** The last eight characters of an item that is a token, by which people tell it in the journal. */
  readonly lastEightOf?: (item: string) => string;
  /** Does it. Throws a Failure; the intent is to go with the request. */
  readonly act: (item: string, intent: Intent, record: ItemRecord) => Promise<Result>;
  /**
   * Does what is left of an item that an earlier run had sent, or had an answer of: what it finds out first is the
   * command's business. Absent where no job is ever taken up.
   */
  readonly takeUp?: (item: string, before: Entry, intent: Intent, record: ItemRecord) => Promise<Result>;
  /**
   * Hands on what was made of an item, as soon as it was made and of several items side by side; whether its value is
   * out, which finishes the item. Throws an undelivered failure where it was not taken: the value stays in the journal.
   * "in order": the report does that, in the order of the items, and calls `finish`. Absent where there is nothing to
   * hand on: an item is finished when it is done.
   */
  readonly deliver?: ((item: string, made: Result) => Promise<boolean>) | "in order";
  /** What an earlier run kept is taken up before anything else is done. */
  readonly takesKeptFirst?: boolean;
  /** A rotation leaves the old tokens alive. */
  readonly keepsOld?: boolean;
}
