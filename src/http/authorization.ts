// The `Authorization` header: Basic credentials (RFC 7617, in UTF-8) or a token. It stands on every request, from the
// first one: the service answers a missing header with 404 and never with a challenge.
import { usageFailure } from "../errors/errors.ts";
import { withHeaders, type Layer } from "./request.ts";

/** A user name and password, or a client ID and client secret. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Adds the header with this value. */
export function authorizationLayer(authorization: string): Layer {
  return (next) => (request) => next(withHeaders(request, { Authorization: authorization }));
}

/** The header's value for credentials. Throws a usage failure where RFC 7617, section 2, forbids a character. */
export function encodeBasic({ username, password }: BasicCredentials): string {
  if (username.includes(":"))
    throw usageFailure("the user name holds a colon, which Basic credentials cannot carry");
  if (hasControlCharacter(username)) throw usageFailure("the user name holds a control character");
  if (hasControlCharacter(password)) throw usageFailure("the password holds a control character");
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

function hasControlCharacter(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text);
}

/**
 * The header's value for a token (the specification, section 5.3). Throws a usage failure for a text that is no token.
 */
export function encodeToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageFailure("the token is not one word of printable ASCII");
  return `token ${token}`;
}
