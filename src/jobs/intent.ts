// The intent that an item's request carries: it records the request before it is sent, and keeps the raw answer of a
// request that makes a value before anything reads it.
import { exactText, isObject, parseOrNull, readJson } from "../json.ts";
import type { Intent } from "../http/request.ts";
import type { Context } from "../run/context.ts";
import { isOfGateway } from "../http/responses.ts";
import { isTokenValue, lastEight } from "../token-value.ts";
import { hashOf, type Entry, type Journal } from "./journal.ts";
import { Stopped } from "./loop.ts";

/** The fields that every entry of an item has. */
export type JournalKey = Pick<Entry, "item" | "last_eight" | "creation">;

export interface ItemIntent extends Intent {
  /** True if the request of this intent may have been sent. */
  hasBeenSent(): boolean;
}

interface IntentOptions {
  /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
  readonly isUnchanged?: () => boolean;
  /** True after a signal: nothing more is sent. */
  readonly isStopped?: () => boolean;
  /** True if nobody needs the value again, so that only the ID of the new authorization is kept. */
  readonly keepsOnlyId?: boolean;
}

/**
 * Marks the item as sent before the request. Keeps the answer of a success, and any other that contains a new token.
 * Records after a 4xx that nothing was changed, if `isUnchanged`.
 */
export function createIntent(
  journal: Journal,
  key: JournalKey,
  { host, redactor }: Pick<Context, "host" | "redactor">,
  { isUnchanged = () => true, isStopped = () => false, keepsOnlyId = false }: IntentOptions,
): ItemIntent {
  let isSent = false;
  let hasBeenSent = false;
  return {
    hasBeenSent: () => hasBeenSent,
    async beforeSending() {
      if (isSent) return;
      if (isStopped()) throw new Stopped();
      await journal.mark({ ...key, state: "sent", at: new Date(host.now()).toISOString() });
      isSent = true;
      hasBeenSent = true;
    },
    async keepResponse(status, body) {
      const text = body.toString("utf8");
      const token = extractToken(text);
      // It may also be in a message.
      if (token !== null) redactor.add(token);
      // A gateway that gave up on the server says nothing of the request.
      if (status >= 400 && status < 500 && !isOfGateway(status)) {
        // The same request may be sent again with a one-time password.
        isSent = false;
        if (isUnchanged()) journal.note({ ...key, state: "failed" });
        return;
      }
      if (body.length === 0) return;
      if (keepsOnlyId) {
        const id = status < 300 ? readId(body) : null;
        if (id !== null) await journal.mark({ ...key, state: "answered", id });
        return;
      }
      if ((status < 200 || status > 299) && !isWholeAuthorization(text)) return;
      // A reset whose answer contains the old token created no new one, so there is nothing to keep.
      if (token !== null && hashOf(token) === key.item) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ state: "answered", body: body.toString("base64"), ...key }).catch(() => undefined);
    },
  };
}

/** The token in an answer, even with blanks around it, or if the answer was cut off after it; null if there is none. */
function extractToken(text: string): string | null {
  const field = readTokenField(text);
  const value = typeof field === "string" ? field.trim() : field;
  return isTokenValue(value) ? value : null;
}

/** Like `extractToken`, for a base64 answer as in journals, if there is one. */
export function extractTokenFromBody(body: string | undefined): string | null {
  return body === undefined ? null : extractToken(Buffer.from(body, "base64").toString("utf8"));
}

function readTokenField(text: string): unknown {
  const answer = parseOrNull(text);
  // Otherwise the answer is cut off, or breaks the specification and has the token further inside: search the text.
  if (typeof answer === "object" && answer !== null && "token" in answer) return answer.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parseOrNull(literal);
}

/** The ID in an answer, even if the answer was cut off after it; null if there is none. */
function readId(body: Buffer): string | null {
  try {
    const answer = readJson(body);
    const id = isObject(answer) ? exactText(answer["id"]) : null;
    return id !== null && /^\d+$/.test(id) ? id : null;
  } catch {
    return /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(body.toString("utf8"))?.[1] ?? null;
  }
}

/** Like `readId`, for a base64 answer as in journals, if there is one. */
export function readIdFromBody(body: string | undefined): string | null {
  return body === undefined ? null : readId(Buffer.from(body, "base64"));
}

/** True if an answer contains a token that matches its `token_last_eight`. Even a failed request may return a value. */
function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const answer = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = extractToken(text);
  return token !== null && token.length > 8 && answer?.token_last_eight === lastEight(token);
}
