// The result of a `doctor` check.
import { objectWith, orNull, text, word, type TypeOf } from "../../schema/json-schema.ts";
import { isFailure, type FailureKind } from "../../errors/errors.ts";
import { withoutMarks } from "../../errors/foreign.ts";

export const findingSchema = objectWith("Finding", "What one check found.", {
  check: text("the name of the check"),
  status: word(
    "fine; note: worth knowing; wrong: something does not work, or is not safe",
    "fine",
    "note",
    "wrong",
  ),
  message: text("what was found"),
  hint: orNull(text("what to do about it; null if there is nothing to do")),
});

export type Finding = TypeOf<typeof findingSchema> & {
  /** The failure kind of a run with this problem. */
  readonly kind?: FailureKind;
};

export function fine(check: string, message: string): Finding {
  return { check, status: "fine", message, hint: null };
}

export function note(check: string, message: string, hint: string | null = null): Finding {
  return { check, status: "note", message, hint };
}

export function wrong(check: string, kind: FailureKind, message: string, hint: string): Finding {
  return { check, status: "wrong", message, hint, kind };
}

/** Converts a failure to a finding. Rethrows any other error. */
export function findingOf(check: string, error: unknown): Finding {
  if (!isFailure(error)) throw error;
  return {
    check,
    status: "wrong",
    message: error.message,
    hint: withoutMarks(error.details.hint ?? "") || null,
    kind: error.kind,
  };
}

/** The same finding as a note, if it need not be a problem. */
export function asNote({ check, message, hint }: Finding): Finding {
  return note(check, message, hint);
}
