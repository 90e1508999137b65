// One item for a person: a line for each field that has a value, and for fields that are shown even when empty.
import { fieldOf } from "./fields.ts";
import type { Labelled } from "./labelled-lines.ts";
import { textOf, type Presentation } from "./presentation.ts";
import { relativeDate } from "./relative-date.ts";

/**
 * The lines of these fields, or of all. Moments get how long ago they were where `now` (epoch milliseconds) is given.
 */
export function itemLines<T extends object>(
  item: T,
  presentation: Presentation<T>,
  fields: readonly string[] | null,
  now: number | null,
): readonly Labelled[] {
  const { toldWhenAsked = [] } = presentation;
  const shown =
    fields ??
    presentation.fields.filter(
      (field) => !hasInnerFields(field, presentation.fields) && !toldWhenAsked.includes(field),
    );
  return shown
    .map((field) => [field, textOf(fieldOf(item, field)) || emptyText(field, presentation)] as const)
    .filter(([, text]) => text !== "")
    .map(([label, text]) => {
      const isMoment = presentation.moments?.includes(label) === true;
      const ago = isMoment && now !== null ? relativeDate(text, now) : null;
      return { label, lines: [ago === null ? text : `${text} (${ago})`] };
    });
}

function emptyText<T extends object>(field: string, { toldWhenEmpty }: Presentation<T>): string {
  return toldWhenEmpty?.includes(field) === true ? "none" : "";
}

/** Whether the fields inside of a field are listed themselves, so that they are shown in its place. */
function hasInnerFields(field: string, fields: readonly string[]): boolean {
  return fields.some((other) => other.startsWith(`${field}.`));
}
