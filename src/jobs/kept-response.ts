// The parts of a response that a job needs, whatever came of the rest: the token and the ID. The journal keeps responses as
// they arrived, in base64, because one that was cut off, or that breaks the specification, may still have a value.
import { exactText, isObject, parseOrNull, readJson } from "../json.ts";
import { isTokenValue } from "../token.ts";

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

/** The ID in a base64 response, even if the response was cut off after it; null if there is none. */
export function readId(body = ""): string | null {
  const bytes = Buffer.from(body, "base64");
  try {
    const response = readJson(bytes);
    const id = isObject(response) ? exactText(response["id"]) : null;
    return id !== null && /^\d+$/.test(id) ? id : null;
  } catch {
    return /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(bytes.toString("utf8"))?.[1] ?? null;
  }
}
