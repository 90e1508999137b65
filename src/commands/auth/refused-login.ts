// The failures of a login: refused credentials, for which the service answers "not found", and addresses at which no
// login can work.
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import type { Origin } from "../../http/origin.ts";
import type { LoginKind } from "./taken-login.ts";

/** The failure for a refused login, which says that nothing was stored; an error of another kind unchanged. */
export function refusedLogin(error: unknown, kind: LoginKind): unknown {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return error;
  const message =
    error.kind === "not-found" ? `${wrongCredentials(kind)}, or there is no such API here` : error.marked;
  return error.with({ hint: "nothing was stored; log in again" }, message);
}

/** What "not found" means at a login. The service does not say which part of the credentials is wrong. */
function wrongCredentials({ app, withToken }: LoginKind): string {
  if (withToken === true) return "the token is wrong";
  return app === true
    ? "the client ID, the client secret or the token is wrong"
    : "the user name or the password is wrong";
}

/** The failure where the API is not at the address, but below it. */
export function isBelow({ href }: Origin): Failure {
  return usageFailure(
    `the service is not at ${href}, but below it`,
    `grantctl auth login --base-url ${href}/api/v3`,
  );
}

/** The failure where no password can work at the address. */
export function takesNoPassword({ href }: Origin): Failure {
  return new Failure(
    "authentication",
    `no password can work at ${href}: accounts are authenticated elsewhere there, by SAML, CAS or LDAP`,
    {
      hint: "an application's credentials and a token still do: grantctl auth login --app, grantctl auth login --with-token",
    },
  );
}
