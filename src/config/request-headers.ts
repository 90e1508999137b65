// The headers that every request carries, and what --header may add to them.
import { usageFailure } from "../errors/errors.ts";

/** Headers that frame the request or carry credentials: not for --header to set. */
const reserved = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The standing headers with those of `--header 'Name: value'`; throws a usage failure for one that cannot be sent. */
export function requestHeaders(version: string, lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    Accept: "application/json",
    // Answers are read as they come: nothing here unpacks.
    "Accept-Encoding": "identity",
    "User-Agent": `grantctl/${version}`,
  };
  for (const line of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === "") throw usageFailure("a header is written as 'Name: value'");
    if (reserved.has(name.toLowerCase()) || /-otp$/i.test(name)) {
      throw usageFailure(`the header ${name} cannot be set with --header`);
    }
    if (!/^[\t\x20-\x7e]*$/.test(value))
      throw usageFailure(`the value of the header ${name} is not plain ASCII text`);
    const existing = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase());
    headers[existing ?? name] = value.trim();
  }
  return headers;
}
