// What a dry run can tell of the note and the fingerprint of a token: whether another token of the account has them, so
// that the service would refuse them.
import type { Authorization } from "../../api/resources.ts";
import { isPersonal } from "../../delivery/rotation/names.ts";
import { Failure } from "../../errors/errors.ts";
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

function used(what: string, { id }: Authorization): Failure {
  return new Failure("refused", `the ${what} is already used: authorization ${toJson(id, 0)} has it`);
}
