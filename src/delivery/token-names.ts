// The note and fingerprint of a token are unique within the account. A rotation therefore gives the new token interim
// ones until the old token is deleted. If a creation or update is rejected because they are in use, the failure names
// the token that has them.
import type { Authorization } from "../api/resources.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";
import { readJson, toJson } from "../json.ts";
import { watchWholeList } from "../lists/paging.ts";
import type { Context } from "../run/context.ts";
import { isPersonal } from "../output/resources.ts";

export interface TokenNames {
  readonly note: string | null;
  readonly fingerprint: string | null;
}

/**
 * The note and fingerprint of an authorization. A missing note is replaced by one with the ID, because creation
 * requires a note.
 */
export function tokenNames({ note, fingerprint }: Authorization, id: string): TokenNames {
  return {
    note: typeof note === "string" && note !== "" ? note : `token ${id}`,
    fingerprint: typeof fingerprint === "string" && fingerprint !== "" ? fingerprint : null,
  };
}

/** The interim note and fingerprint of the new token. `when`: the time of the rotation, so that no other token has them. */
export function interimNames({ note, fingerprint }: TokenNames, when: string): TokenNames {
  const mark = ` (rotated ${when})`;
  return {
    note: note === null ? null : `${note}${mark}`,
    fingerprint: fingerprint === null ? null : `${fingerprint}${mark}`,
  };
}

/** True if the server rejected a note or fingerprint because another token has it. */
export function isNameTaken(error: unknown): boolean {
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

export interface WantedNames {
  /** The application of the token; null for a personal token. */
  readonly clientId: string | null;
  readonly note?: string | undefined;
  readonly fingerprint?: string | undefined;
}

/**
 * Adds to a rejection the authorization that has the note or fingerprint, and a hint. Returns any other error
 * unchanged, and the rejection itself if the list cannot be read or has no such authorization.
 */
export async function withNameOwner(
  error: unknown,
  names: WantedNames,
  own: Authorization | null,
  service: Service,
  context: Context,
): Promise<unknown> {
  if (!isFailure(error, "refused") || !isNameTaken(error)) return error;
  let found: Awaited<ReturnType<typeof findNameOwner>> = null;
  try {
    found = await findNameOwner(names, own, service, context);
  } catch {
    // The rejection itself says enough.
  }
  context.progress.end();
  if (found === null) return error;
  const [field, owner] = found;
  const id = toJson(owner.id, 0);
  const replace = isPersonal(owner) ? `, \`grantctl authorization rotate ${id}\` to replace its token` : "";
  return new Failure("refused", `the ${field} is already in use by authorization ${id}`, {
    ...error.details,
    hint: `Use another ${field}. Run \`grantctl authorization view ${id}\` to see it${replace}, or \`grantctl authorization delete ${id}\` to delete it.`,
  });
}

/**
 * The authorization other than `own` that has the note (if both are personal tokens; specification, 4.3) or the
 * fingerprint (if both are tokens of the same application); null if there is none.
 */
async function findNameOwner(
  { clientId, note, fingerprint }: WantedNames,
  own: Authorization | null,
  service: Service,
  context: Context,
): Promise<readonly [field: string, owner: Authorization] | null> {
  const { listAuthorizations } = await import("../api/authorizations.ts");
  for await (const page of listAuthorizations(service, watchWholeList(context)))
    for (const other of page) {
      if (own !== null && toJson(other.id, 0) === toJson(own.id, 0)) continue;
      if (!(clientId === null ? isPersonal(other) : other.app?.client_id === clientId)) continue;
      if (clientId === null && note !== undefined && other.note === note) return ["note", other];
      if (fingerprint !== undefined && fingerprint !== "" && other.fingerprint === fingerprint)
        return ["fingerprint", other];
    }
  return null;
}
