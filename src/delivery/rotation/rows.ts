// How a rotation is shown: a line for each token, with its new value where it goes to standard output or a file.
import type { Id } from "../../api/resources.ts";
import { parseJson, toJson } from "../../exact-json.ts";
import { pickFields } from "../../output/fields.ts";
import { textOf, type Presentation } from "../../output/presentation.ts";

export interface RotationRow {
  readonly status: string;
  readonly id_before: Id;
  /** The new authorization; null where there is none. */
  readonly id: Id | null;
  /** Its value; empty where it went elsewhere. */
  readonly token: string | null;
  readonly note: string | null;
}

const fields = ["status", "id_before", "id", "token", "note"];

/** With the value, for what it goes to. */
export const rotationPresentation: Presentation<RotationRow> = {
  fields,
  columns: [
    { title: "STATUS", text: (row) => row.status, minimum: 12 },
    { title: "ID", field: "id_before", text: (row) => textOf(row.id_before), isWhole: true },
  ],
};

/** One line of several. */
export function plainLine(row: RotationRow): string {
  return `${toJson(pickFields(row, fields), 0)}\n`;
}

/** The row of an item that nothing was made of. */
export function emptyRow(id: string, status: string, note: string | null = null): RotationRow {
  return { status, id_before: parseJson(id) as Id, id: null, token: null, note };
}
