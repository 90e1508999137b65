// The intent that an item's request carries: it records the request before it is sent, and keeps the raw answer of a
// request that makes a value before anything reads it.
import { parseOrNull } from "../json.ts";
import type { Intent } from "../http/request.ts";
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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** False if an earlier request may have had an effect, about which the response to this one says nothing. */
  readonly isUnchanged: () => boolean;
  /** True after a signal: nothing more is sent. */
  readonly isStopped: () => boolean;
  /** Gets a new value, which may also be in a message. */
  readonly redact: (token: string) => void;
}

/**
 * Marks the item as sent before the request. Keeps the answer of a success, and any other that contains a new token.
 * Records after a 4xx that nothing was changed, if `isUnchanged`.
 */
export function createIntent(
  journal: Journal,
  key: JournalKey,
  { now, isUnchanged, isStopped, redact }: IntentOptions,
): ItemIntent {
  let isSent = false;
  let hasBeenSent = false;
  return {
    hasBeenSent: () => hasBeenSent,
    async beforeSending() {
      if (isSent) return;
      if (isStopped()) throw new Stopped();
      await journal.mark({ ...key, state: "sent", at: new Date(now()).toISOString() });
      isSent = true;
      hasBeenSent = true;
    },
    async keepResponse(status, body) {
      const token = extractToken(body.toString("utf8"));
      if (token !== null) redact(token);
      // A gateway that gave up on the server says nothing of the request.
      if (status >= 400 && status < 500 && !isOfGateway(status)) {
        // The same request may be sent again with a one-time password.
        isSent = false;
        if (isUnchanged()) journal.note({ ...key, state: "failed" });
        return;
      }
      if (body.length === 0) return;
      if ((status < 200 || status > 299) && !isWholeAuthorization(body.toString("utf8"))) return;
      const kept = trimAnswer(body);
      // A reset whose answer contains the old token created no new one, so there is nothing to keep.
      if (containsOldToken(kept.toString("utf8"), key)) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ state: "answered", body: kept.toString("base64"), ...key }).catch(() => undefined);
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

/** Longer answers are cut to this length if the token is within it, as it usually is. */
const maxKeptBytes = 8 * 1024;

function trimAnswer(body: Buffer): Buffer {
  if (body.length <= maxKeptBytes) return body;
  const beginning = body.subarray(0, maxKeptBytes);
  return extractToken(beginning.toString("utf8")) === extractToken(body.toString("utf8")) ? beginning : body;
}

/** True if an answer contains a token that matches its `token_last_eight`. Even a failed request may return a value. */
function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const answer = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  const token = extractToken(text);
  return token !== null && token.length > 8 && answer?.token_last_eight === lastEight(token);
}

/** True if an answer repeats the old token, which the request was about. */
function containsOldToken(text: string, { item }: JournalKey): boolean {
  const token = extractToken(text);
  return token !== null && hashOf(token) === item;
}
