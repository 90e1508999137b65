// Shows where a report found each token, beside the token's result: every place in JSON, a few words on a terminal.
import type { Presentation } from "../printing/presentation.ts";
import type { Placed } from "./sources-schema.ts";
import { placesInWords } from "./sources.ts";

export interface Places {
  /** The part of a token's row in JSON with its places in the report; empty without a report. */
  readonly sourcesOf: (token: string) => Placed<object>;
  /** The presentation of rows that may have this part. */
  readonly placed: <T extends object>(presentation: Presentation<T>) => Presentation<T>;
}

/** The presentation with the field `sources`, and for a person with a column for it. */
export function withPlaces<T extends object>(
  presentation: Presentation<T>,
  hasColumn: boolean,
): Presentation<T> {
  const column = {
    title: "FOUND IN",
    field: "sources",
    text: (row: T): string => placesInWords(row),
    priority: 2,
  };
  return {
    ...presentation,
    fields: [...presentation.fields, "sources", "sources_omitted"],
    columns: hasColumn ? [...presentation.columns, column] : presentation.columns,
  };
}
