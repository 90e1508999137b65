// The note and the fingerprint of a token, which no other token of the account may have: finds the token that has them,
// for a dry run before the request, and for the message after the service refused it.
import type { Authorization } from "../../api/resources.ts";
import { isAlreadyUsed, isPersonal } from "../../delivery/rotation/names.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import type { Service } from "../../http/service.ts";
import { toJson } from "../../json/exact-json.ts";
import { watchWholeList } from "../../lists/paging.ts";
import type { Context } from "../../run/context.ts";

export interface WantedNames {
  /** The application of the token; null for a personal token. */
  readonly clientId: string | null;
  readonly note?: string | undefined;
  readonly fingerprint?: string | undefined;
}

/**
 * Lists the authorizations. Throws a `refused` failure if one of them, other than `own`, has the note, where both are
 * personal tokens (the specification, 4.3), or the fingerprint, where both are tokens of the same application.
 */
export async function refuseUsedNames(
  { clientId, note, fingerprint }: WantedNames,
  own: Authorization | null,
  service: Service,
  context: Context,
): Promise<void> {
  const { listAuthorizations } = await import("../../api/authorizations.ts");
  const refuseUsed = (other: Authorization): void => {
    if (own !== null && toJson(other.id, 0) === toJson(own.id, 0)) return;
    const isOfSame = clientId === null ? isPersonal(other) : other.app?.client_id === clientId;
    if (!isOfSame) return;
    if (clientId === null && note !== undefined && other.note === note) throw used("note", other);
    if (fingerprint !== undefined && fingerprint !== "" && other.fingerprint === fingerprint)
      throw used("fingerprint", other);
  };
  const paging = watchWholeList(context);
  for await (const page of listAuthorizations(service, paging)) page.forEach(refuseUsed);
}

/**
 * The service's refusal of a note or fingerprint that is already used, with the authorization that has it and what can
 * be done; any other error as it is, and the refusal itself if the list cannot be read or has no such authorization.
 */
export async function namingUser(
  error: unknown,
  names: WantedNames,
  own: Authorization | null,
  service: Service,
  context: Context,
): Promise<unknown> {
  if (!isFailure(error, "refused") || !isAlreadyUsed(error)) return error;
  try {
    await refuseUsedNames(names, own, service, context);
  } catch (found) {
    if (isFailure(found, "refused") && found.details.status === undefined)
      return new Failure("refused", found.marked, { ...error.details, hint: found.details.hint });
  } finally {
    context.progress.end();
  }
  return error;
}

function used(what: string, other: Authorization): Failure {
  const id = toJson(other.id, 0);
  const replace = isPersonal(other) ? `, \`grantctl authorization rotate ${id}\` to replace its token` : "";
  return new Failure("refused", `the ${what} is already used: authorization ${id} has it`, {
    hint: `Use another ${what}. Run \`grantctl authorization view ${id}\` to see it${replace}, or \`grantctl authorization delete ${id}\` to delete it.`,
  });
}
