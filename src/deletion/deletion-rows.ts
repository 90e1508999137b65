// The rows that report what became of each item that was to be deleted: for a person with names, for a script without.
import type { Id } from "../api/resources.ts";
import { fieldsOf, object, optional, orNull, text } from "../output/json-schema.ts";
import type { Presentation } from "../output/presentation.ts";
import { statusSchema } from "../shapes/outcome-schemas.ts";
import { id } from "../shapes/resource-schemas.ts";

/** What became of one item. */
export interface DeletionRow {
  readonly status: string;
  readonly id: Id;
  /** Absent where names were not read; null where the item has none. */
  readonly name?: string | null;
}

export const deletionSchema = object<DeletionRow>("Deletion", "What became of one item.", {
  status: statusSchema("deleted", "already-gone", "would-delete"),
  id: id("the item's identifier"),
  name: optional(orNull(text("with --dry-run what a person calls it; null where it has no name"))),
});

const columns: Presentation<DeletionRow>["columns"] = [
  { title: "STATUS", text: (row: DeletionRow) => row.status, minimum: 12 },
  { title: "ID", field: "id", text: (row: DeletionRow) => String(row.id), isWhole: true },
];

/** How what became of each is shown. */
export const deletionPresentation: Presentation<DeletionRow> = { fields: fieldsOf(deletionSchema), columns };

/** The same, for a person who reads names. */
export const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...columns, { title: "NAME", field: "name", text: (row) => row.name ?? "", priority: 2 }],
};
