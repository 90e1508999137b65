// How the places of a token are shown beside what became of it: all of them in JSON, in a few words on a terminal.
import type { Presentation } from "../output/presentation.ts";
import { placesInWords, type Source } from "./sources.ts";

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
