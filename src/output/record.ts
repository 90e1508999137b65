// One thing for a person: a line for each of its fields that has a value, and for those whose emptiness says something.
import { fieldOf } from "./fields.ts";
import type { Labelled } from "./labelled-lines.ts";
import { textOf, type Presentation } from "./presentation.ts";
import { relativeDate } from "./relative-date.ts";

/** These fields, or all; moments with how long ago they were, where `now` (milliseconds since the epoch) is given. */
export function recordLines<T extends object>(
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

/** Whether a field is shown by the fields inside of it instead. */
function hasInnerFields(field: string, fields: readonly string[]): boolean {
  return fields.some((other) => other.startsWith(`${field}.`));
}
