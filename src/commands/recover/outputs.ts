// What the recover commands print as JSON.
import {
  either,
  filledText,
  list,
  object,
  orNull,
  text,
  wholeNumber,
  word,
} from "../../output/json-schema.ts";
import { printsList, printsNothing, type DescribedOutput, type Outputs } from "../command-output.ts";
import type { KeptValue, LeftoverRow } from "./leftover-rows.ts";
import type { FoundItem } from "./found-items.ts";

const leftover = object<LeftoverRow>("Leftover", "What an earlier run left.", {
  id: text("its name for recover show and recover forget"),
  operation: text("what was to be done"),
  state: word<string>("what is left", "value kept", "outcome unknown", "unfinished"),
  address: text("the service's address"),
  created_at: text("when the run began, ISO 8601"),
  items: wholeNumber("how many items the run had"),
  done: wholeNumber("how many of them are finished"),
  values: wholeNumber("how many token values are kept"),
  unknown: wholeNumber("how many outcomes are not known"),
  journal: orNull(text("the file for --resume; null where there is nothing to resume")),
});

const kept = object<KeptValue>("KeptValue", "A token's value that was not delivered.", {
  token_last_eight_before: orNull(text("the last eight characters of the value before a reset; else null")),
  token: filledText("the value"),
});

const found = object<FoundItem>("FoundItem", "What became of one token of an interrupted job.", {
  token_last_eight: orNull(text("the last eight characters of the token")),
  state: word<FoundItem["state"]>(
    "live: nothing happened to it; gone: it was revoked; lost: it was reset, and its new value is nowhere; unproven: not found, but nothing shows that the credentials are right; unknown: it was not looked at",
    "live",
    "gone",
    "lost",
    "unproven",
    "unknown",
  ),
});

const show: DescribedOutput = {
  means:
    "the value that is kept: an object, or an array for a job of several; or an array of what became of a job's tokens",
  document: either(kept, either(list(kept), list(found))),
  line: either(kept, found),
};

export const recoverOutputs: Outputs = {
  "recover list": printsList("an array of what earlier runs left", leftover),
  "recover show": show,
  "recover forget": printsNothing,
};
