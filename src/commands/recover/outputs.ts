// What the recover commands print as JSON.
import { list, object, optional, orNull, text, wholeNumber, word } from "../../output/json-schema.ts";
import { printsList, printsNothing, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import type { KeptValue, LeftoverRow } from "./leftover-rows.ts";
import { foundStates, type FoundState } from "./found-items.ts";

const leftover = object<LeftoverRow>("Leftover", "What an earlier run left.", {
  id: text("its name for recover show and recover forget"),
  operation: text("what was to be done"),
  state: word<LeftoverRow["state"]>(
    "what is left",
    "value kept",
    "outcome unknown",
    "unfinished",
    "damaged",
    "of a later version",
  ),
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
  resume: orNull(
    text("the command that takes it up again, with the same input; null where there is nothing to resume"),
  ),
});

const kept = object<KeptValue>("KeptValue", "A token's value that was not delivered.", {
  token_last_eight_before: orNull(text("the last eight characters of the value before a reset; else null")),
  token: text("the value; empty for a token of a job that is listed for what became of it"),
  state: optional(
    word<FoundState>(
      "what became of it, where there is no value: live, nothing happened to it; gone, it was revoked; lost, it was reset and its new value is nowhere; dead, that, or it was dead before a power cut; unproven, it is not found but nothing shows that the credentials are right; unknown, it was not looked at",
      ...foundStates,
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
