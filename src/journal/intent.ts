// The intent of one item: writes the state of the item's request to the journal, before the request is sent and when
// its answer arrives.
import type { Intent } from "../http/request.ts";
import { hashOf } from "./hashes.ts";
import type { Journal } from "./journal.ts";
import { isWholeAuthorization, partToKeep, tokenIn } from "./kept-answer.ts";

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
      const kept = partToKeep(body);
      // A reset that is answered with the old token made no new one, so there is nothing to keep.
      if (repeatsItem(kept.toString("utf8"), journalItem)) return;
      // The token is still in memory: it is delivered even if the disk fails now.
      await journal
        .mark({ state: "answered", body: kept.toString("base64"), ...journalItem })
        .catch(() => undefined);
    },
  };
}

/** Whether the token in an answer is the old one, which the request was about. */
function repeatsItem(text: string, { item, last_eight }: JournalItem): boolean {
  // Most answers do not have its last characters anywhere, so they need not be parsed. A backslash may hide them.
  if (last_eight !== undefined && !text.includes(last_eight) && !text.includes("\\")) return false;
  const token = tokenIn(text);
  return token !== null && hashOf(token) === item;
}
