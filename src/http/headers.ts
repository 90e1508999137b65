// The headers that a user adds to requests.
import { usageFailure } from "../errors/errors.ts";

/** A header of a request: a name, and printable ASCII. */
export const headerForm = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/;

/** Headers that a user cannot set, because they frame the request or carry credentials. */
const reserved =
  /^(?:authorization|connection|content-length|content-type|cookie|expect|host|keep-alive|proxy-authorization|te|trailer|transfer-encoding|upgrade|.*-otp)$/i;

/** True for a line that `readHeaders` accepts. */
export function isHeaderLine(line: string): boolean {
  const name = headerForm.exec(line)?.[1] ?? "";
  return name !== "" && !reserved.test(name);
}

/** Reads headers of the form `Name: value`; the last of a name wins. Throws a usage failure for an invalid one. */
export function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = headerForm.exec(line) ?? [];
    if (name === "") throw usageFailure("a header must have the form 'Name: value', in plain ASCII text");
    if (!isHeaderLine(line)) throw usageFailure(`the header ${name} cannot be set`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}
