// Basic credentials (RFC 7617, in UTF-8).
import { usageFailure } from "../errors/errors.ts";

/** A user name and password, or a client ID and client secret. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
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
