// What the recover commands print as JSON.
import { list, object, optional, orNull, text, wholeNumber, word } from "../../output/json-schema.ts";
import { printsList, printsNothing, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import type { KeptValue, LeftoverRow } from "./leftover-rows.ts";
import type { ShardRow } from "./shard-rows.ts";
import { tokenStates, type TokenState } from "./outcome-rows.ts";

const states = [
  "value kept",
  "outcome unknown",
  "unfinished",
  "damaged",
  "finished",
  "of a later version",
] as const satisfies readonly LeftoverRow["state"][];

const shard = object<ShardRow>("Shard", "One of the shards of a job, and where it is.", {
  shard: text("i/n"),
  id: text("its name for recover show and recover forget, in its own folder"),
  state: word<ShardRow["state"]>("what is left", ...states),
  items: wholeNumber("how many items it has"),
  done: wholeNumber("how many of them are finished"),
  failed: wholeNumber("how many were tried and are known not to have been changed"),
  to_go: wholeNumber("how many are neither done nor failed"),
  state_dir: text("the state folder that it is in"),
  resume: orNull(text("the command that takes it up again; null where it is finished")),
});

const leftover = object<LeftoverRow>("Leftover", "What an earlier run left.", {
  id: text("its name for recover show and recover forget"),
  operation: text("what was to be done"),
  state: word<LeftoverRow["state"]>("what is left", ...states),
  address: text("the service's address"),
  created_at: text("when the run began, ISO 8601"),
  items: wholeNumber("how many items the run had"),
  done: wholeNumber("how many of them are finished"),
  values: wholeNumber("how many token values are kept"),
  unknown: wholeNumber("how many outcomes are not known"),
  journal: orNull(text("the file for --resume; null where there is nothing to resume")),
  token_last_eights: list(
    text("the last eight characters of one token"),
    "the tokens that it has something to tell of",
  ),
  notes: list(
    text("one note"),
    "the notes that new tokens of an unfinished rotation have until the old ones are gone",
  ),
  resume: orNull(
    text("the command that takes it up again, with the same input; null where there is nothing to resume"),
  ),
  failed: wholeNumber("how many items were tried and are known not to have been changed"),
  to_go: wholeNumber("how many items are neither done nor failed"),
  shard: orNull(text("i/n for one shard of a job; else null")),
  parts: orNull(wholeNumber("with --state-dir, how many shards the job has; else null")),
  parts_done: orNull(wholeNumber("how many of them are finished")),
  shards: list(shard, "with --state-dir, the shards of the job that are there"),
});

const kept = object<KeptValue>("KeptValue", "A token's value that was not delivered.", {
  token_last_eight_before: orNull(text("the last eight characters of the value before a reset; else null")),
  token: text("the value; empty for a token of a job that is listed for what became of it"),
  state: optional(
    word<TokenState>(
      "what became of it, where there is no value: live, nothing happened to it; gone, it was revoked; lost, it was reset and its new value is nowhere; dead, that, or it was dead before a power cut; unproven, it is not found but nothing shows that the credentials are right; unknown, it was not looked at",
      ...tokenStates,
    ),
  ),
});

export const recoverOutputs: Outputs = {
  "recover list": printsList("an array of what earlier runs left", leftover),
  "recover show": printsOneOrMany(
    "the value that is kept: an object, or an array for a job of several; where none is, an array of what became of a job's tokens",
    kept,
  ),
  "recover forget": printsNothing,
};
