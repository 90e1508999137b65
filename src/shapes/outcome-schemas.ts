// The schemas for the outcome of each item of a job.
import { failureKinds, type FailureKind } from "../errors/errors.ts";
import { word, type Schema } from "../output/json-schema.ts";

/** The status of one item: one of `done`, or the reason why it was not done. */
export function statusSchema(...done: readonly string[]): Schema<string> {
  return word<string>(
    `what became of it: ${[...done, ""].join("; ")}unproven: not found, but nothing shows that the credentials are right; not-tried; or the class of its failure`,
    ...done,
    "unproven",
    "not-tried",
    ...failureKinds.filter(mayFailAnItem),
  );
}

/** Whether an item can have this failure: `incomplete` is the whole job's, the others are of commands without items. */
function mayFailAnItem(kind: FailureKind): boolean {
  return kind !== "incomplete" && kind !== "exists" && kind !== "findings";
}
