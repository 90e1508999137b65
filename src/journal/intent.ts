// The intent of one item: writes to the journal what happens to the item's request, before it leaves and when its
// answer arrives.
import type { Intent } from "../http/request.ts";
import { isTokenValue } from "../token-value.ts";
import { hashOf } from "./hashes.ts";
import type { Journal } from "./journal.ts";

/** Of a long answer only the beginning is kept, where the token's value is in it, as it usually is. */
const mostKept = 8 * 1024;

export interface JournalItem {
  /** The item's hash. */
  readonly item: string;
  /** The token's last eight characters, where the item is one. */
  readonly last_eight?: string;
}

export interface ItemIntent extends Intent {
  /** Whether the request of this intent was allowed to leave. */
  hasBeenSent(): boolean;
}

/**
 * An intent that marks an item as sent before its request leaves, keeps a success as it arrived, and notes that a
 * refusal changed nothing. `planned` resolves when the item is on disk as planned; null for one that is not.
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
      }
      if (status < 200 || status > 299 || body.length === 0) return;
      const kept = withValue(body).toString("base64");
      // A reset that is answered with the old value made no new one, so there is nothing to keep.
      if (isItem(valueIn(kept), journalItem)) return;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ ...journalItem, state: "answered", body: kept }).catch(() => undefined);
    },
  };
}

/** As much of an answer as its value can be read from. */
function withValue(body: Buffer): Buffer {
  if (body.length <= mostKept) return body;
  const beginning = body.subarray(0, mostKept);
  return valueIn(beginning.toString("base64")) === valueIn(body.toString("base64")) ? beginning : body;
}

/** Whether a token is the one that the request was about. */
function isItem(token: string | null, { item }: JournalItem): boolean {
  return token !== null && hashOf(token) === item;
}

/** The token's value in a kept answer, even in one that was cut off after the value; null where there is none. */
export function valueIn(body: string): string | null {
  const text = Buffer.from(body, "base64").toString("utf8");
  const value = tokenOf(text);
  return isTokenValue(value) ? value : null;
}

function tokenOf(text: string): unknown {
  const answer = parse(text);
  // An answer of another shape than was promised may have it further inside.
  if (typeof answer === "object" && answer !== null && "token" in answer) return answer.token;
  const literal = /"token"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return literal === undefined ? undefined : parse(literal);
}

/** What a JSON text says; undefined where it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
