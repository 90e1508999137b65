// The result of a `doctor` check.
import { isFailure, type FailureKind } from "../../errors/errors.ts";
import { withoutMarks } from "../../errors/foreign.ts";

export interface Finding {
  /** The name of the check. */
  readonly check: string;
  /** A note is worth knowing; wrong is what does not work, or is not safe. */
  readonly status: "fine" | "note" | "wrong";
  readonly detail: string;
  readonly fix: string | null;
  /** The failure kind of a run with this problem. */
  readonly kind?: FailureKind;
}

export function fine(check: string, detail: string): Finding {
  return { check, status: "fine", detail, fix: null };
}

export function note(check: string, detail: string, fix: string | null = null): Finding {
  return { check, status: "note", detail, fix };
}

export function wrong(check: string, kind: FailureKind, detail: string, fix: string): Finding {
  return { check, status: "wrong", detail, fix, kind };
}

/** Converts a failure to a finding. Rethrows any other error. */
export function findingOf(check: string, error: unknown): Finding {
  if (!isFailure(error)) throw error;
  return {
    check,
    status: "wrong",
    detail: error.message,
    fix: withoutMarks(error.details.hint ?? "") || null,
    kind: error.kind,
  };
}

/** The same finding as a note, if it need not be a problem. */
export function asNote({ check, detail, fix }: Finding): Finding {
  return note(check, detail, fix);
}
