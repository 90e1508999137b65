// Puts the `Authorization` header on every request, from the first one: the service answers a missing header with 404
// and never with a challenge.
import { usageFailure } from "../errors/errors.ts";
import { withHeaders, type Layer } from "./request.ts";

/** Adds the header with this value. */
export function authorizationLayer(authorization: string): Layer {
  return (next) => (request) => next(withHeaders(request, { Authorization: authorization }));
}

/**
 * The header's value for a token (the specification, section 5.3). Throws a usage failure for a text that is no token.
 */
export function encodeToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageFailure("the token is not one word of printable ASCII");
  return `token ${token}`;
}
