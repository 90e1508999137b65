// The answer to a request for a token, as a journal keeps it: what of it is kept, and the token in it.
import { parseOrNull } from "../json/parse-or-null.ts";
import { isTokenValue, lastEight } from "../token-value.ts";

/** Of an answer that is longer than this, only the beginning is kept, if the token is in it, as it usually is. */
const mostKept = 8 * 1024;

/** The part of an answer that is kept: its beginning where the token is in it, otherwise the whole. */
export function partToKeep(body: Buffer): Buffer {
  if (body.length <= mostKept) return body;
  const beginning = body.subarray(0, mostKept);
  return tokenIn(beginning.toString("utf8")) === tokenIn(body.toString("utf8")) ? beginning : body;
}

/** Whether an answer shows a token, and shows by its last eight characters that it is one: a failure with a value in it. */
export function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const answer = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = tokenIn(text);
  return token !== null && token.length > 8 && answer?.token_last_eight === lastEight(token);
}

/** The token in an answer, even if the answer was cut off after the token; null where there is none. */
export function tokenIn(text: string): string | null {
  const value = tokenOf(text);
  return isTokenValue(value) ? value : null;
}

/** As `tokenIn`, of an answer in base64, as journals keep it. */
export function valueIn(body: string): string | null {
  return tokenIn(Buffer.from(body, "base64").toString("utf8"));
}

function tokenOf(text: string): unknown {
  const answer = parseOrNull(text);
  // An answer that breaks the specification may have the token further inside.
  if (typeof answer === "object" && answer !== null && "token" in answer) return answer.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parseOrNull(literal);
}
