// A login that the service refused, in the words of a login: "not found" means wrong credentials here.
import { Failure, isFailure } from "../../errors/errors.ts";
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
