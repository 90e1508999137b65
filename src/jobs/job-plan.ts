// The plan that a command makes for a job: the items, the action for one of them, and how its result is delivered. Also
// the flags that all jobs have.
import type { Command } from "commander";
import type { Intent } from "../http/request.ts";
import type { Entry } from "../journal/entries.ts";
import type { JournalOperation } from "../journal/operations.ts";
import type { Proof } from "./proof.ts";
import type { Vet } from "./run-items.ts";
import { addShardOption, type ShardOptions } from "./shard-option.ts";

export interface JobOptions extends ShardOptions {
  readonly resume?: string;
}

/** Adds `--resume` and `--shard`. */
export function addJobOptions(command: Command, input = "with the same input"): Command {
  return addShardOption(command.option("--resume <journal>", `Continue an interrupted job (${input})`));
}

/** Whether the report of these items is a list: for several items, and for a shard even with a single one. */
export function isJobOf(items: readonly unknown[], { shard }: ShardOptions): boolean {
  return items.length > 1 || shard !== undefined;
}

/** The journal's entry of one item, for an action of several steps. */
export interface ItemRecord {
  latest(): Entry | undefined;
  /** Adds these fields to the entry; resolves when they are on disk. */
  keep(more: Partial<Omit<Entry, "item">>): Promise<void>;
}

/** What the work for one item has of the journal. */
export interface Attempt {
  /** The item's request must carry it. */
  readonly intent: Intent;
  readonly record: ItemRecord;
  /**
   * The entry of an item that an earlier run had sent, or whose answer it had kept: before such an item is sent, the
   * command finds out in its own way whether the request took effect. Undefined for any other item.
   */
  readonly before: Entry | undefined;
}

export interface JobPlan<Result> {
  readonly operation: JournalOperation;
  /** The user name or client ID that the requests are made with. */
  readonly requester: string;
  readonly items: readonly string[];
  /** The identity of what the new tokens are written to, a file or a command. */
  readonly outputFile?: string | undefined;
  /** Whether the new tokens are in a file that standard output was redirected to, to which a resumed job appends. */
  readonly isRedirected?: boolean;
  /** Whether the credentials are proven, by any success of `act` or `vet`. */
  readonly proof: Proof;
  /**
   * A read that tests the credentials after many "not found", before anything else is changed; null for an action that
   * tests them itself.
   */
  readonly vet: Vet<string> | null;
  /** The last eight characters of an item that is a token, by which people recognise it in the journal. */
  readonly lastEightOf?: ((item: string) => string) | undefined;
  /** Does the work for one item. Throws a Failure. */
  readonly act: (item: string, attempt: Attempt) => Promise<Result>;
  /** Makes sure that an item which was not found is gone; throws the Failure of one that is not. */
  readonly confirm?: (item: string) => Promise<void>;
  /**
   * Delivers an item's new token at once, for several items side by side; which finishes
   * the item. Throws an undelivered failure where the receiver did not accept it: the token stays in the
   * journal. "in order": the report delivers the tokens in the order of the items, and calls `finish` for each. Absent
   * where there is no token to deliver: an item is then finished when its request has succeeded.
   */
  readonly deliver?: ((item: string, made: Result) => Promise<void>) | "in order";
  /**
   * Whether the receiver no longer has the token in this kept response, which an earlier run delivered: its item is then
   * delivered again. Absent if the receiver cannot tell: delivered tokens do not stay in the journal then.
   */
  readonly isMissing?: ((body: string) => Promise<boolean>) | undefined;
  /** Items whose answers an earlier run kept come before all others. */
  readonly takesKeptFirst?: boolean;
  /** For a rotation: the old tokens are not deleted. */
  readonly keepsOld?: boolean;
}
