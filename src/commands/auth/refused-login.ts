// A login that cannot be, in the words of a login: what the service refused, where "not found" means wrong credentials,
// and what its address says already.
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import type { Origin } from "../../http/origin.ts";
import type { LoginKind } from "./taken-login.ts";

/** The failure to throw for it: says that nothing was stored. What is no refusal of the service comes back as it is. */
export function refusedLogin(error: unknown, kind: LoginKind): unknown {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return error;
  const message =
    error.kind === "not-found" ? `${wrongCredentials(kind)}, or there is no such API here` : error.marked;
  return new Failure(error.kind, message, { ...error.details, hint: "nothing was stored; log in again" });
}

/** What the service means by "not found": it tells nobody which of them is wrong. */
function wrongCredentials({ app, withToken }: LoginKind): string {
  if (withToken === true) return "the token is wrong";
  return app === true
    ? "the client ID, the client secret or the token is wrong"
    : "the user name or the password is wrong";
}

/** The API is not at the address, but below it. */
export function isBelow({ href }: Origin): Failure {
  return usageFailure(
    `the service is not at ${href}, but below it`,
    `grantctl auth login --base-url ${href}/api/v3`,
  );
}

/** No password can work at the address. */
export function takesNoPassword({ href }: Origin): Failure {
  return new Failure(
    "authentication",
    `no password can work at ${href}: accounts are proven elsewhere there, by SAML, CAS or LDAP`,
    {
      hint: "an application's credentials and a token still do: grantctl auth login --app, grantctl auth login --with-token",
    },
  );
}
