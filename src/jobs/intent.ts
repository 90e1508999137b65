// What the record gets of the request for one item, before it is sent and when its response comes (journal.ts has the states).
import type { Intent } from "../http/request.ts";
import { isGatewayTimeout } from "../http/responses.ts";
import { parseOrNull } from "../json.ts";
import type { Context } from "../run/context.ts";
import { hashOf, lastEight } from "../token.ts";
import { extractIdFromBody, extractToken } from "../api/token-responses.ts";
import type { EntryStart, Journal } from "./journal.ts";
import { Stopped } from "./outcome.ts";

export interface ItemIntent extends Intent {
  /** True once this run has sent a request. For an item that an earlier run sent, a read has then found it unchanged. */
  readonly reachedSending: () => boolean;
  /** True if the response may have a value that the record could not keep. */
  readonly isUnsaved: () => boolean;
}

interface IntentOptions {
  /** True after a signal: nothing more is to be changed. */
  readonly isStopped: () => boolean;
  /** False if an earlier request may have had an effect, about which a response to this one says nothing. */
  readonly isConclusive?: () => boolean;
  /** False for a response, in base64, that is not one to the request. */
  readonly fits?: (body: string) => Promise<boolean> | undefined;
}

/**
 * Marks the item as sent before the request, which is not sent after a signal. Keeps the response of a success, and that of
 * a failure of the server that contains a new token. Records after a 4xx that nothing was changed, if it is conclusive.
 */
export function createIntent(
  journal: Journal,
  start: EntryStart,
  { host, options, redactor }: Pick<Context, "host" | "options" | "redactor">,
  { isStopped, isConclusive = () => true, fits }: IntentOptions,
): ItemIntent {
  /** For a run, whose value nobody needs again: only the ID of the new authorization is kept. */
  const isOfRun = start.creation !== undefined && !journal.keepsValues;
  /** True from the mark to a 4xx, after which the same request may follow, as with a one-time password. */
  let isMarked = false;
  let reachedSending = false;
  let isUnsaved = false;
  return {
    reachedSending: () => reachedSending,
    isUnsaved: () => isUnsaved,
    async beforeSending() {
      if (isMarked) return;
      if (isStopped()) throw new Stopped();
      const until = new Date(host.now() + options.timeout * 1000).toISOString();
      await journal.mark({ ...start, state: "sent", until });
      isMarked = true;
      reachedSending = true;
    },
    async keepResponse(status, body) {
      const text = body.toString("utf8");
      const token = text === "" ? null : extractToken(text);
      // It may also be in a message.
      if (token !== null) redactor.add(token);
      // A gateway that gave up on the server says nothing of the request.
      if (status >= 400 && status < 500 && !isGatewayTimeout(status)) {
        isMarked = false;
        if (isConclusive()) journal.markUnsynced({ ...start, state: "unchanged" });
        return;
      }
      const id = isOfRun && status < 300 ? extractIdFromBody(body.toString("base64")) : null;
      if (id !== null) await journal.mark({ ...start, state: "answered", id });
      // A reset whose response contains the old token created no new one, so there is nothing to keep.
      const isOld = token !== null && hashOf(token) === start.key;
      if (!journal.keepsValues || isOld || !mayHaveValue(status, text, token)) return;
      const kept = body.toString("base64");
      const is_unfit = token !== null && (await fits?.(kept)) === false;
      // The value is still in memory: it is delivered even if the disk fails now.
      await journal.mark({ state: "answered", body: kept, is_unfit, ...start }).catch(() => {
        isUnsaved = true;
      });
    },
  };
}

/** True for a success, and for a failure with a token that matches its `token_last_eight`. */
function mayHaveValue(status: number, text: string, token: string | null): boolean {
  if (status >= 200 && status < 300) return text !== "";
  if (!text.includes('"token_last_eight"')) return false;
  const response = parseOrNull(text) as { readonly token_last_eight?: unknown } | null;
  return token !== null && token.length > 8 && response?.token_last_eight === lastEight(token);
}
