// get-or-create with an authorization that exists already, whose token the service does not show again: reports it, or
// replaces it.
import type { WantedAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import { hasValue } from "../../delivery/one-value.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { toJson } from "../../json/exact-json.ts";
import type { Service } from "../../http/service.ts";
import type { Context } from "../../run/context.ts";
import { authorizationPresentation } from "../../shapes/authorization-fields.ts";

export interface ExistingOptions {
  readonly allowExisting?: true;
  readonly replaceExisting?: true;
}

/** The failure for an authorization that exists, whose token cannot be shown. */
export function existsFailure({ id }: Authorization): Failure {
  return new Failure(
    "exists",
    `authorization ${toJson(id, 0)} exists already, and the service shows the value of a token only when it is new`,
    { status: 200, hint: "replace it with --replace-existing, or accept it with --allow-existing" },
  );
}

/** Reports the existing authorization. Throws an `exists` failure unless --allow-existing was given. */
export async function reportExisting(
  existing: Authorization,
  options: ExistingOptions,
  context: Context,
): Promise<void> {
  if (context.printer.isJson) await context.printer.printItem(existing, authorizationPresentation);
  const failure = existsFailure(existing);
  if (options.allowExisting !== true) throw failure;
  context.notices.note(failure.message);
}

/**
 * Deletes the existing authorization and calls `create` for a new one, with the fields to keep and a sentence on the
 * deletion for its failures. The failure says so if only the deletion succeeded.
 */
export async function replaceExisting(
  existing: Authorization,
  service: Service,
  create: (kept: Partial<WantedAuthorization>, gone: string) => Promise<Authorization>,
): Promise<void> {
  const id = toJson(existing.id, 0);
  const { deleteAuthorization } = await import("../../api/authorizations.ts");
  await deleteAuthorization(service, id).catch((error: unknown) => {
    // The same credentials have just found it, so they are right: somebody else has deleted it.
    if (!isFailure(error, "not-found")) throw error;
  });
  const gone = `authorization ${id} was deleted`;
  let created: Authorization;
  try {
    created = await create(keptOf(existing), `${gone}: ${again}`);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const isDecided = error.kind !== "unknown" && error.kind !== "undelivered";
    throw new Failure(
      isDecided ? "incomplete" : error.kind,
      isDecided ? `${gone}, but no new one was created: ${error.marked}` : `${gone}; ${error.marked}`,
      isDecided ? { ...error.details, hint: again } : error.details,
    );
  }
  if (!hasValue(created)) {
    throw new Failure("incomplete", `${gone}, but another one exists: ${toJson(created.id, 0)}`, {
      hint: "run it again to replace that one too",
    });
  }
}

const again = "once it can succeed, the same command creates it";

/** The fields that a new authorization takes from the one that it replaces, where no flag sets them. */
function keptOf({ scopes, note, note_url }: Authorization): Partial<WantedAuthorization> {
  return {
    ...(scopes === null || scopes === undefined ? {} : { scopes }),
    ...(typeof note !== "string" || note === "" ? {} : { note }),
    ...(typeof note_url !== "string" || note_url === "" ? {} : { note_url }),
  };
}
