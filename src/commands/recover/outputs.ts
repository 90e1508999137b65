// What the recover commands print as JSON.
import { printsList, printsNothing, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import { leftoverSchema } from "./leftover-row.ts";
import { keptValueSchema } from "./outcome-rows.ts";

export const recoverOutputs: Outputs = {
  "recover list": printsList("an array of what earlier runs left", leftoverSchema),
  "recover show": printsOneOrMany(
    "the value that is kept: an object, or an array for a job of several; where none is, an array of what became of a job's tokens",
    keptValueSchema,
  ),
  "recover forget": printsNothing,
};
