// What a token is told by while it is rotated: a service takes a note and a fingerprint once, so the new one has other
// ones until the old one is gone.
import type { Authorization } from "../../api/resources.ts";
import { isFailure } from "../../errors/errors.ts";
import { readJson } from "../../exact-json.ts";

export interface Names {
  readonly note: string | null;
  readonly fingerprint: string | null;
}

const noApplication = "0".repeat(20);

/** Whether it belongs to no application. */
export function isPersonal({ app }: Authorization): boolean {
  return app === null || app.client_id === "" || app.client_id === noApplication;
}

/** What an authorization is told by; one without a note gets one, since no new token is made without. */
export function namesOf({ note, fingerprint }: Authorization, id: string): Names {
  return {
    note: typeof note === "string" && note !== "" ? note : `token ${id}`,
    fingerprint: typeof fingerprint === "string" && fingerprint !== "" ? fingerprint : null,
  };
}

/** The names of its successor meanwhile; a later attempt is for names that are taken. */
export function interimNames({ note, fingerprint }: Names, today: string, attempt: number): Names {
  const mark = ` (rotated ${today}${attempt === 1 ? "" : ` ${attempt}`})`;
  return {
    note: note === null ? null : `${note}${mark}`,
    fingerprint: fingerprint === null ? null : `${fingerprint}${mark}`,
  };
}

/** Whether the service refused a name because it has it already. */
export function isAlreadyUsed(error: unknown): boolean {
  if (!isFailure(error, "refused") || error.details.status !== 422) return false;
  try {
    const body = readJson(error.details.received?.body ?? Buffer.alloc(0)) as { readonly errors?: unknown };
    return (
      Array.isArray(body.errors) &&
      body.errors.some((each: unknown) => (each as { readonly code?: unknown }).code === "already_exists")
    );
  } catch {
    return false;
  }
}
