// Checks a single token. Lists of tokens are read by reports/read-report.ts, by the same rules. No message repeats the
// text, which may be a secret.
import { usageFailure } from "../errors/errors.ts";

/**
 * Checks that a token is one word of printable ASCII of limited length, and returns it unchanged. Throws a usage
 * failure.
 */
export function parseToken(token: string, where = "", longest = 1024): string {
  if (token === "") throw usageFailure(`${where}the token is empty`);
  if (token.length > longest) throw usageFailure(`${where}this is too long for a token`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageFailure(
      `${where}this is not a token: it contains a space, a control character or non-ASCII text`,
    );
  }
  if (token === "." || token === "..") throw usageFailure(`${where}this is not a token`);
  if (token === "null")
    throw usageFailure(
      `${where}"null" is not a token`,
      "jq -r prints null if a field is missing. Check the input.",
    );
  return token;
}

/**
 * Checks a token that is alone on its line, or was typed. Rejects a token with text around it, as in a quoted string, a
 * table row, an assignment or a URL: sent like that, an active token would not be found and would seem revoked.
 */
export function parseBareToken(line: string, where: string, longest: number): string {
  if (/^(["'`]).*\1$/.test(line)) {
    throw usageFailure(
      `${where}the token is in quotes, which are not part of it`,
      "Use jq -r to print it without them.",
    );
  }
  if (otherText.test(line) && /\w{16}/.test(line)) {
    throw usageFailure(
      `${where}there is other text around the token: a quote, a comma, a bracket, an assignment or an address`,
      "Give one token per line and nothing else, or JSON with a field token.",
    );
  }
  return parseToken(line, where, longest);
}

/** Characters that no token contains, but a quoted text, a row of a table, an assignment or a URL does. */
const otherText = /["'`,;\\<>()[\]{}|*]|:\/\/|=[^=]|\.$/;
