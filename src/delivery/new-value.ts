import type { Authorization, Id } from "../api/resources.ts";
import { Failure } from "../errors/errors.ts";
import type { ItemRecord } from "../jobs/job.ts";
import { extractTokenFromBody } from "../jobs/intent.ts";
import { allValues } from "../jobs/leftover.ts";
import { parseJson, readJson, toJson } from "../json.ts";

// A new token for delivery: its value, with the ID and note that identify it for the receiver.

export interface NewValue {
  readonly token: string;
  /** Null if unknown. */
  readonly id: Id | null;
  readonly note?: string | null;
}

/** A new or reset authorization; only its token, and its ID if known, if the response was cut off. */
export type NewToken = Authorization | { readonly id: Id | null; readonly token: string };

/**
 * Reads a base64 response from the journal of an earlier run; null if it contains no token. Throws an unknown failure
 * if `check` finds that it does not match its request: the token is then kept and never delivered automatically.
 */
export async function readNewToken(
  body: string | undefined,
  check: (value: Authorization) => Authorization = (value) => value,
): Promise<NewToken | null> {
  if (body === undefined) return null;
  const { checkAuthorizationWithValue } = await import("../api/checks.ts");
  const bytes = Buffer.from(body, "base64");
  let whole: Authorization;
  try {
    whole = checkAuthorizationWithValue(readJson(bytes));
  } catch {
    const token = extractTokenFromBody(body);
    const id = /^\s*\{\s*"id"\s*:\s*(\d+)\s*,/.exec(bytes.toString("utf8"))?.[1];
    return token === null ? null : { id: id === undefined ? null : (parseJson(id) as Id), token };
  }
  try {
    return check(whole);
  } catch (error) {
    throw new Failure(
      "unknown",
      `the response that was kept does not fit its request: ${(error as Error).message}`,
    );
  }
}

export type Claims = ReturnType<typeof createClaims>;

/**
 * Ensures that no two items of a job get the same token, those of earlier runs included, and that no new token belongs to
 * one of the old authorizations: `taken` are the IDs of those.
 */
export function createClaims(taken: readonly string[] = []) {
  let owners: Map<string, string> | null = null;
  return {
    /**
     * Returns the new token of an item. If another item has it, records the response as unfit and throws an unknown
     * failure.
     */
    async claim(made: NewToken, record: ItemRecord): Promise<NewToken> {
      owners ??= new Map([
        ...taken.map((id) => [id, ""] as const),
        ...allValues({ entries: record.earlierEntries })
          .filter(({ entry }) => entry.is_unfit !== true)
          .map(({ token, entry }) => [token, entry.item] as const),
      ]);
      const names = [made.token, ...(made.id === null ? [] : [toJson(made.id, 0)])];
      for (const name of names) if (!owners.has(name)) owners.set(name, record.key);
      const isUnfit = record.latestEntry()?.is_unfit === true;
      if (!isUnfit && names.every((name) => owners?.get(name) === record.key)) return made;
      await record.update({ is_unfit: true });
      throw new Failure(
        "unknown",
        "the server responded with the token of another item; it is kept, and nothing is deleted",
      );
    },
  };
}
