// Basic credentials (RFC 7617, in UTF-8) on every request, from the first: the service answers a missing
// `Authorization` with 404, so waiting for a challenge would be waiting for ever.
import { usageFailure } from "../errors/errors.ts";
import { withHeaders, type Layer } from "./request.ts";

/** A user name and password, or a client ID and client secret. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Adds the `Authorization` header. The credentials are fetched when the first request is sent, and kept. */
export function basicLayer(credentials: () => Promise<BasicCredentials>): Layer {
  let header: Promise<string> | null = null;
  return (next) => async (request) => {
    header ??= credentials().then(encodeBasic);
    return next(withHeaders(request, { Authorization: await header }));
  };
}

/** The value of the `Authorization` header. Throws a usage failure where RFC 7617, section 2, forbids a character. */
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
