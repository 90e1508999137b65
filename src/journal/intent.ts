// The intent of one item: writes the state of the item's request to the journal, before the request is sent and when
// its answer arrives.
import type { Intent } from "../http/request.ts";
import { isTokenValue, lastEight } from "../token-value.ts";
import { hashOf } from "./hashes.ts";
import type { Journal } from "./journal.ts";

/** Of an answer that is longer than this, only the beginning is kept, if the token is in it, as it usually is. */
const mostKept = 8 * 1024;

export interface JournalItem {
  /** The item's hash. */
  readonly item: string;
  /** The token's last eight characters, where the item is one. */
  readonly last_eight?: string;
}

export interface ItemIntent extends Intent {
  /** Whether the request of this intent may have been sent. */
  hasBeenSent(): boolean;
}

/**
 * An intent that marks an item as sent before its request is sent, keeps the answer of a success unchanged, and any other
 * that shows a new token all the same, and notes after a refusal that nothing was changed. `planned` resolves when the
 * item is on disk as planned; null if it is not.
 */
export function createIntent(
  journal: Journal,
  journalItem: JournalItem,
  planned: Promise<void> | null,
): ItemIntent {
  let isPlanned = planned !== null;
  let isSent = false;
  let hasBeenSent = false;
  return {
    hasBeenSent: () => hasBeenSent,
    async beforeSending() {
      if (isSent) return;
      await planned;
      if (isPlanned) await journal.send({ item: journalItem.item, state: "sent" });
      else await journal.mark({ ...journalItem, state: "sent" });
      isPlanned = false;
      isSent = true;
      hasBeenSent = true;
    },
    async keepAnswer(status, body) {
      if (status >= 400 && status < 500) {
        // After this refusal, the same request may be sent once more, with a one-time password.
        isSent = false;
        journal.note({ ...journalItem, state: "failed" });
        return;
      }
      if (body.length === 0) return;
      if ((status < 200 || status > 299) && !isWholeAuthorization(body.toString("utf8"))) return;
      const kept = withValue(body);
      // A reset that is answered with the old token made no new one, so there is nothing to keep.
      if (repeatsItem(kept.toString("utf8"), journalItem)) return;
      // The token is still in memory: it is delivered even if the disk fails now.
      await journal
        .mark({ state: "answered", body: kept.toString("base64"), ...journalItem })
        .catch(() => undefined);
    },
  };
}

/** The part of an answer that is kept: its beginning where the token is in it, otherwise the whole. */
function withValue(body: Buffer): Buffer {
  if (body.length <= mostKept) return body;
  const beginning = body.subarray(0, mostKept);
  return valueOf(beginning.toString("utf8")) === valueOf(body.toString("utf8")) ? beginning : body;
}

/** Whether an answer shows a token, and shows by its last eight characters that it is one: a failure with a value in it. */
function isWholeAuthorization(text: string): boolean {
  if (!text.includes('"token_last_eight"')) return false;
  const answer = parse(text) as { readonly token_last_eight?: unknown } | undefined;
  const token = valueOf(text);
  return token !== null && token.length > 8 && answer?.token_last_eight === lastEight(token);
}

/** Whether the token in an answer is the old one, which the request was about. */
function repeatsItem(text: string, { item, last_eight }: JournalItem): boolean {
  // Most answers do not have its last characters anywhere, so they need not be parsed. A backslash may hide them.
  if (last_eight !== undefined && !text.includes(last_eight) && !text.includes("\\")) return false;
  const token = valueOf(text);
  return token !== null && hashOf(token) === item;
}

/** The token in a kept answer, in base64, even if the answer was cut off after the token; null where there is none. */
export function valueIn(body: string): string | null {
  return valueOf(Buffer.from(body, "base64").toString("utf8"));
}

function valueOf(text: string): string | null {
  const value = tokenOf(text);
  return isTokenValue(value) ? value : null;
}

function tokenOf(text: string): unknown {
  const answer = parse(text);
  // An answer that breaks the specification may have the token further inside.
  if (typeof answer === "object" && answer !== null && "token" in answer) return answer.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parse(literal);
}

/** The value of a JSON text; undefined where the text is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
