// What became of each thing that was to be deleted, and how it is shown: to a person with its name, to a script without.
import type { Id } from "../api/resources.ts";
import type { Presentation } from "../output/presentation.ts";

const columns: Presentation<DeletionRow>["columns"] = [
  { title: "STATUS", text: (row: DeletionRow) => row.status, minimum: 12 },
  { title: "ID", field: "id", text: (row: DeletionRow) => String(row.id), isWhole: true },
];

/** How what became of each is shown. */
export const deletionPresentation: Presentation<DeletionRow> = { fields: ["status", "id", "name"], columns };

/** The same, for a person who reads names. */
export const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...columns, { title: "NAME", field: "name", text: (row) => row.name ?? "", priority: 2 }],
};

/** What became of one item. */
export interface DeletionRow {
  readonly status: string;
  readonly id: Id;
  /** Where it was read; null where there is none. */
  readonly name?: string | null;
}
