// Shows where a report found each token, beside the token's result: every place in JSON, a few words on a terminal.
import type { Presentation } from "../output/presentation.ts";
import type { Source } from "./sources-schema.ts";
import { placesInWords } from "./sources.ts";

export interface Places {
  /** Where a report says that a token is: a part of its row in JSON, empty where there is no report. */
  readonly sourcesOf: (token: string) => { readonly sources?: readonly Source[] };
  /** How rows are shown that have such a part. */
  readonly placed: <T extends object>(presentation: Presentation<T>) => Presentation<T>;
}

/** The presentation with `sources`; with a column as well where a person looks at what has them. */
export function withPlaces<T extends object>(
  presentation: Presentation<T>,
  hasColumn: boolean,
): Presentation<T> {
  const column = {
    title: "FOUND IN",
    field: "sources",
    text: (row: T): string => placesInWords((row as { readonly sources?: readonly Source[] }).sources),
    priority: 2,
  };
  return {
    ...presentation,
    fields: [...presentation.fields, "sources"],
    columns: hasColumn ? [...presentation.columns, column] : presentation.columns,
  };
}
