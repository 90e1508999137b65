// What a command tells a job: the items, what to do with one of them, and how its result is delivered. Also the flags
// that jobs have in common.
import type { Command } from "commander";
import type { Intent } from "../http/request.ts";
import type { Entry, JournalOperation } from "../journal/entries.ts";
import type { Proof } from "./proof.ts";
import type { Vet } from "./run-items.ts";
import { addShardOption, type ShardOptions } from "./shard-option.ts";
import type { ItemRecord } from "./taken-up.ts";

export interface JobOptions extends ShardOptions {
  readonly resume?: string;
}

export function addJobOptions(command: Command): Command {
  return addShardOption(
    command.option(
      "--resume <journal>",
      "take an interrupted job up again; give it the same input as before",
    ),
  );
}

/** Whether these items are reported as a list: several are, and so is a shard, even one of a single item. */
export function isJobOf(items: readonly string[], { shard }: ShardOptions): boolean {
  return items.length > 1 || shard !== undefined;
}

export interface JobPlan<Result> {
  readonly operation: JournalOperation;
  /** Who asks: the user name, or the client ID. */
  readonly requester: string;
  readonly items: readonly string[];
  /** The items that were picked from a list, as arguments for the command that takes the job up again. */
  readonly picked?: readonly string[];
  /** The identity of the file that takes the values. */
  readonly outputFile?: string;
  /** Whether the credentials are proven, by any success of `act`, `vet` or `takeUp`. */
  readonly proof: Proof;
  /**
   * A read that finds out, after many "not found", whether the credentials are right, before anything more is changed.
   */
  readonly vet: Vet<string>;
  /** The last eight characters of an item that is a token: in the journal, people recognise it by them. */
  readonly lastEightOf?: (item: string) => string;
  /** Does the work for one item. The intent has to go with the request. Throws a Failure. */
  readonly act: (item: string, intent: Intent, record: ItemRecord) => Promise<Result>;
  /**
   * Does what is left to do for an item that an earlier run had sent, or whose answer it had kept. How it finds out
   * what became of the request is the command's business. Absent where jobs of this command cannot be taken up.
   */
  readonly takeUp?: (item: string, before: Entry, intent: Intent, record: ItemRecord) => Promise<Result>;
  /**
   * Delivers an item's result at once, for several items side by side; resolves with whether its value was delivered,
   * which finishes the item. Throws an undelivered failure where the receiver did not take it: the value stays in the
   * journal. "in order": the report delivers the results in the order of the items, and calls `finish` for each. Absent
   * where there is no value to deliver: an item is then finished when its request has succeeded.
   */
  readonly deliver?: ((item: string, made: Result) => Promise<boolean>) | "in order";
  /** Items whose answers an earlier run kept come before all others. */
  readonly takesKeptFirst?: boolean;
  /** For a rotation: the old tokens are not deleted. */
  readonly keepsOld?: boolean;
}
