// New tokens in a journal. An entry keeps the raw response, in base64.
import { parseOrNull } from "../json/exact-json.ts";
import { isTokenValue } from "../token-value.ts";

/** The token in a response, even with blanks around it, or if the response was cut off after it; null if there is none. */
export function extractToken(text: string): string | null {
  const field = readTokenField(text);
  const value = typeof field === "string" ? field.trim() : field;
  return isTokenValue(value) ? value : null;
}

/** Like `extractToken`, for a base64 response as in journals, if there is one. */
export function extractTokenFromBody(body: string | undefined): string | null {
  return body === undefined ? null : extractToken(Buffer.from(body, "base64").toString("utf8"));
}

function readTokenField(text: string): unknown {
  const response = parseOrNull(text);
  // Otherwise the response is cut off, or breaks the specification and has the token further inside: search the text.
  if (typeof response === "object" && response !== null && "token" in response) return response.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parseOrNull(literal);
}
