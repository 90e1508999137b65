// The account's authorizations, which require the account's credentials.
import { listOperation } from "../http/pages.ts";
import { type Call, type Service, readResponse, sendForJson, sendForNoContent } from "../http/service.ts";
import { checkAuthorizationWithoutValue, withId } from "./checks.ts";
import { checkNewToken } from "./token-responses.ts";
import { Failure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { idText, type Authorization } from "./resources.ts";

/** The fields of the three bodies; absent ones are not sent. At most one of the three kinds of scopes. */
export type AuthorizationFields = {
  readonly scopes?: readonly string[] | undefined;
  readonly add_scopes?: readonly string[] | undefined;
  readonly remove_scopes?: readonly string[] | undefined;
  readonly note?: string | undefined;
  readonly note_url?: string | undefined;
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly fingerprint?: string | null | undefined;
};

export type NewAuthorization = AuthorizationFields & { readonly note: string };

export const listAuthorizations = listOperation(
  "/authorizations",
  "the list of authorizations",
  checkAuthorizationWithoutValue,
);

/** One authorization, without its token's value. `id` is decimal digits. */
export function getAuthorization(service: Service, id: string): Promise<Authorization> {
  return sendForJson(service, singleAuthorizationCall("GET", id), withId(checkAuthorizationWithoutValue, id));
}

/** Creates an authorization. Only this response ever shows its token, which may have fewer scopes than requested. */
export async function createAuthorization(
  service: Service,
  wanted: NewAuthorization,
): Promise<Authorization> {
  const call: Call = {
    method: "POST",
    template: "/authorizations",
    body: wanted,
    subject: "the new authorization",
  };
  return sendForJson(service, call, checkNewToken(wanted), [201, 200]);
}

/**
 * Gets the application's authorization (with this fingerprint, if given), or creates it. Only a new one includes its token
 * value. An existing one that is not of this application and fingerprint is a protocol failure: nothing was changed.
 */
export async function getOrCreateAuthorization(
  service: Service,
  clientId: string,
  fingerprint: string | null,
  wanted: AuthorizationFields & { readonly client_secret: string },
): Promise<Authorization> {
  const call: Call = {
    method: "PUT",
    template: `/authorizations/clients/:client_id${fingerprint === null ? "" : "/:fingerprint"}`,
    parameters: { client_id: clientId, fingerprint: fingerprint ?? "" },
    body: wanted,
    subject: `the authorization of application ${clientId}`,
  };
  const exchange = await service.exchange(call);
  if (exchange.response.status === 201)
    return readResponse(exchange, [201], checkNewToken({ ...wanted, fingerprint, client_id: clientId }));
  const existing = readResponse(exchange, [200], checkAuthorizationWithoutValue);
  // Without a fingerprint, any authorization of the application fits.
  const isSame = fingerprint === null || existing.fingerprint === fingerprint;
  if (isSame && existing.app?.client_id === clientId) return existing;
  throw new Failure(
    "protocol",
    `the server responded with authorization ${idText(existing.id)}, which does not have the application and fingerprint of the request`,
    { status: 200, hint: `Nothing was changed. ${hints.server}` },
  );
}

export async function updateAuthorization(
  service: Service,
  id: string,
  changes: AuthorizationFields,
): Promise<Authorization> {
  const call = { ...singleAuthorizationCall("PATCH", id), body: changes };
  return sendForJson(service, call, withId(checkAuthorizationWithoutValue, id));
}

/** Deletes one authorization, which revokes its token. */
export function deleteAuthorization(service: Service, id: string): Promise<void> {
  return sendForNoContent(service, singleAuthorizationCall("DELETE", id));
}

function singleAuthorizationCall(method: "GET" | "PATCH" | "DELETE", id: string): Call {
  return {
    method,
    template: "/authorizations/:authorization_id",
    parameters: { authorization_id: id },
    subject: `authorization ${id}`,
  };
}
