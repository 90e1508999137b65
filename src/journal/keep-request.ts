// Keeps one item of a journal while the request about it is under way.
import type { Keeper } from "../http/request.ts";
import type { Journal } from "./journals.ts";

/** Answers are kept up to here: more than any authorization takes. */
const mostKept = 64 * 1024;

export interface KeptItem {
  /** The item's hash. */
  readonly item: string;
  /** The token's last eight characters, where the item is one. */
  readonly last_eight?: string;
}

/**
 * A keeper that marks an item as sent before its request leaves, keeps a success as it arrived, and notes that a
 * refusal changed nothing.
 */
export function keeperOf(journal: () => Promise<Journal>, kept: KeptItem): Keeper {
  let isSent = false;
  return {
    async beforeSending() {
      if (isSent) return;
      await (await journal()).mark({ ...kept, state: "sent" });
      isSent = true;
    },
    async keepAnswer(status, body) {
      const opened = await journal();
      if (status >= 400 && status < 500) {
        // The same request may leave once more, with a one-time password.
        isSent = false;
        await opened.mark({ ...kept, state: "failed" }).catch(() => undefined);
      }
      if (status < 200 || status > 299 || body.length === 0) return;
      // The value is still in memory: a disk that fails now must not keep it from being delivered.
      await opened
        .mark({ ...kept, state: "answered", body: body.subarray(0, mostKept).toString("base64") })
        .catch(() => undefined);
    },
  };
}

/** The token's value in a kept answer, also in one that was cut off behind it; null where there is none. */
export function valueIn(body: string): string | null {
  const text = Buffer.from(body, "base64").toString("utf8");
  return /"token"\s*:\s*"([\x21-\x7e]{1,1024}?)"/.exec(text)?.[1] ?? null;
}
