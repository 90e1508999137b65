// What a job says of each of its items.
import { failureKinds, type FailureKind } from "../errors/errors.ts";
import { object, optional, orNull, text, word, type Schema } from "../output/json-schema.ts";
import type { DeletionRow } from "../deletion/deletion-rows.ts";
import { id } from "./resource-schemas.ts";

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

export const deletionSchema = object<DeletionRow>("Deletion", "What became of one item.", {
  status: statusSchema("deleted", "already-gone", "would-delete"),
  id: id("the item's identifier"),
  name: optional(orNull(text("with --dry-run what a person calls it; null where it has no name"))),
});
