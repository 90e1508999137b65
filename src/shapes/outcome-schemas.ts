// What a job says of each of its items.
import { failureKinds, type FailureKind } from "../errors/errors.ts";
import { word, type Schema } from "../output/json-schema.ts";

/** What became of one item: these, or why it was not done. */
export function statusSchema(...done: readonly string[]): Schema<string> {
  return word<string>(
    `what became of it: ${[...done, ""].join("; ")}unproven: not found, but nothing shows that the credentials are right; not-tried; or the class of its failure`,
    ...done,
    "unproven",
    "not-tried",
    ...failureKinds.filter(mayFailAnItem),
  );
}

/** A job as a whole fails as incomplete, and get-or-create is no job. */
function mayFailAnItem(kind: FailureKind): boolean {
  return kind !== "incomplete" && kind !== "exists" && kind !== "findings";
}
