// Checks that the response to a request for a token fits the request: a server or a proxy that mixes responses up must
// not pass one token off as another. Throws a TypeError, which becomes an unknown outcome. Missing fields pass, but a
// fingerprint that was sent must come back.
import { checkAuthorizationWithValue } from "./checks.ts";
import { checkIsAbout } from "./hashed-token.ts";
import type { Authorization } from "./resources.ts";

/** The fields that were sent for a new token; absent ones were not sent. */
export interface SentFields {
  readonly note?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly fingerprint?: string | null | undefined;
  readonly client_id?: string | undefined;
}

/** The check of a response with a new token's value for these fields. */
export function checkNewToken(sent: SentFields): (value: unknown) => Authorization {
  return (value) => {
    const made = checkAuthorizationWithValue(value);
    checkIsAbout(made, made.token);
    const { note, fingerprint, scopes } = made;
    if (hasText(sent.note) && hasText(note) && note.trim() !== sent.note.trim())
      throw new TypeError("note is of another authorization");
    if ((fingerprint ?? "") !== (sent.fingerprint ?? ""))
      throw new TypeError("fingerprint is of another authorization");
    checkApplication(made, sent.client_id);
    const wider = (scopes ?? []).filter((scope) => !isCovered(scope, new Set(sent.scopes)));
    if (sent.scopes !== undefined && wider.length > 0) throw new TypeError("scopes are wider than requested");
    return made;
  };
}

/** The check of the response to a reset of a token of this application. */
export function checkResetToken(clientId: string, old: string): (value: unknown) => Authorization {
  return (value) => {
    const made = checkAuthorizationWithValue(value);
    if (made.token === old) throw new TypeError("token is the old value, not a new one");
    checkIsAbout(made, made.token);
    checkApplication(made, clientId);
    return made;
  };
}

/** Servers show a personal token as one of an application without a client ID, or with zeros for it. */
function checkApplication({ app }: Authorization, clientId: string | undefined): void {
  const shown = app?.client_id;
  if (clientId !== undefined && hasText(shown) && shown !== clientId)
    throw new TypeError("app is another application");
}

function hasText(value: string | null | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** Scopes that `repo` includes although they are not named `repo:…`. */
const ofRepo = new Set(["public_repo", "repo_deployment", "security_events"]);

/**
 * True if these scopes include one, directly or in a broader one: services leave out scopes that another one
 * includes, as `user:email` and `read:user` beside `user`, and `read:org` beside `admin:org`.
 */
export function isCovered(scope: string, has: ReadonlySet<string>): boolean {
  const [first = "", rest = ""] = scope.split(":");
  const broader = [scope, first];
  if (first === "read") broader.push(rest, `write:${rest}`, `admin:${rest}`);
  if (first === "write") broader.push(`admin:${rest}`);
  if (ofRepo.has(scope)) broader.push("repo");
  return broader.some((one) => has.has(one));
}
