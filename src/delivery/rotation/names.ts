// The note and fingerprint of a token while it is rotated. No two tokens of an account may share one, so the new token
// has an interim note and fingerprint until the old token is deleted.
import type { Authorization } from "../../api/resources.ts";
import { isFailure } from "../../errors/errors.ts";
import { readJson } from "../../json/exact-json.ts";

export interface Names {
  readonly note: string | null;
  readonly fingerprint: string | null;
}

const noApplication = "0".repeat(20);

/** Whether an authorization is a personal access token, which belongs to no application. */
export function isPersonal({ app }: Authorization): boolean {
  // Without an application, operators answer with no `app`, with null, or with an empty or zero client ID.
  return [undefined, null, "", noApplication].includes(app?.client_id);
}

/** The note and fingerprint of an authorization; a made-up note where it has none, because creation requires one. */
export function namesOf({ note, fingerprint }: Authorization, id: string): Names {
  return {
    note: typeof note === "string" && note !== "" ? note : `token ${id}`,
    fingerprint: typeof fingerprint === "string" && fingerprint !== "" ? fingerprint : null,
  };
}

/** The interim note and fingerprint of the new token; `attempt` counts up while other tokens have them. */
export function interimNames({ note, fingerprint }: Names, today: string, attempt: number): Names {
  const mark = ` (rotated ${today}${attempt === 1 ? "" : ` ${attempt}`})`;
  return {
    note: note === null ? null : `${note}${mark}`,
    fingerprint: fingerprint === null ? null : `${fingerprint}${mark}`,
  };
}

/** Whether the service refused a note or fingerprint because another token has it. */
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
