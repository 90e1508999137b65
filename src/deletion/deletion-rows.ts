// The rows that report the outcome of each deletion: for a person with the item's name, for a script without it.
import { objectWith, optional, orNull, text, type TypeOf } from "../schema/json-schema.ts";
import { column, present, type Presentation } from "../printing/presentation.ts";
import { statusSchema, id } from "../schema/resources.ts";

export const deletionSchema = objectWith("Deletion", "What became of one item.", {
  status: statusSchema("deleted", "already-gone", "would-delete"),
  id: id("the item's identifier"),
  name: optional(orNull(text("with --dry-run what a person calls it; null where it has no name"))),
});

/** The outcome of one item; without a name where names were not read. */
export type DeletionRow = TypeOf<typeof deletionSchema>;

export const deletionPresentation = present(deletionSchema, [
  column("STATUS", "status", { minimum: 12 }),
  column("ID", "id", { isWhole: true }),
]);

/** Rows with a column for the item's name, for a person. */
export const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...deletionPresentation.columns, column("NAME", "name", { priority: 2 })],
};
