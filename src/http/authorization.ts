// Puts the `Authorization` header on every request, from the first one: the service answers a missing header with 404
// and never with a challenge.
import { usageFailure } from "../errors/errors.ts";
import { withHeaders, type Layer } from "./request.ts";

/** Resolves with the value of the `Authorization` header; null to send none. */
export type Authorize = () => Promise<string | null>;

/** Adds the header. Its value is fetched when the first request is sent, and kept. */
export function authorizationLayer(authorize: Authorize): Layer {
  let value: Promise<string | null> | null = null;
  return (next) => async (request) => {
    value ??= authorize();
    const authorization = await value;
    return next(authorization === null ? request : withHeaders(request, { Authorization: authorization }));
  };
}

/**
 * The header's value for a token (the specification, section 5.3). Throws a usage failure for a text that is no token.
 */
export function encodeToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageFailure("the token is not one word of printable ASCII");
  return `token ${token}`;
}
