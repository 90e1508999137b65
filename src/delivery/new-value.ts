// A new token for delivery: its value, with the ID and note that identify it for the receiver.
import { idText, type Authorization, type Id } from "../api/resources.ts";
import { Failure } from "../errors/errors.ts";
import type { EntryHandle } from "../jobs/item-runner.ts";
import type { Journal } from "../jobs/journal.ts";
import { hasOwnResponse, isDelivered } from "../jobs/leftover.ts";
import { extractTokenFromBody, extractIdFromBody } from "../api/token-responses.ts";
import { parseJson, readJson } from "../json.ts";
import { hashOf, lastEight } from "../token.ts";

/** A new or reset authorization; only its token, and its ID or null, if the response was cut off. */
export type NewToken = Partial<Omit<Authorization, "id" | "token">> & {
  readonly id: Id | null;
  readonly token: string;
};

/**
 * Reads a base64 response from the record; null if it contains no token, or if `check` finds that it does not fit its
 * request.
 */
export async function readNewToken(
  body: string | undefined,
  check: (value: Authorization) => Authorization = (value) => value,
): Promise<NewToken | null> {
  const token = extractTokenFromBody(body);
  if (body === undefined || token === null) return null;
  const { checkAuthorizationWithValue } = await import("../api/checks.ts");
  let whole: Authorization;
  try {
    whole = checkAuthorizationWithValue(readJson(Buffer.from(body, "base64")));
  } catch {
    const id = extractIdFromBody(body);
    return { id: id === null ? null : (parseJson(id) as Id), token };
  }
  try {
    return check(whole);
  } catch {
    return null;
  }
}

export type Claims = ReturnType<typeof createClaims>;

/**
 * Ensures that no two items of a job get the same token, those of earlier runs included, and that no new token is one of the
 * `old` ones: their IDs, or the hashes of their values.
 */
export function createClaims(old: readonly string[], earlier: Journal["earlierEntries"] = new Map()) {
  const owners = new Map(old.map((identity) => [identity, ""]));
  // The token of two responses is that of the item that delivered it. One that does not fit is another's.
  const answered = [...earlier.values()]
    .filter((entry) => hasOwnResponse(entry) && entry.is_unfit !== true)
    .toSorted((one, other) => Number(isDelivered(one)) - Number(isDelivered(other)));
  for (const { key, body } of answered)
    for (const identity of identitiesOf(extractTokenFromBody(body), extractIdFromBody(body)))
      if (owners.get(identity) !== "") owners.set(identity, key);
  /** True if this ID, or hash of a value, is that of another item. */
  const isOfOther = (identity: string, { key }: EntryHandle): boolean =>
    (owners.get(identity) ?? key) !== key;
  return {
    isOfOther,
    /** Returns the new token of an item. If it is no new one, records that no response fits, and throws an unknown failure. */
    async claim(made: NewToken, entry: EntryHandle): Promise<NewToken> {
      const identities = identitiesOf(made.token, made.id === null ? null : idText(made.id));
      const isOld = made.token.length > 8 && lastEight(made.token) === entry.latest()?.last_eight;
      if (!isOld && !identities.some((identity) => isOfOther(identity, entry))) {
        // Not before: the response to another request must not take anything from its own item.
        for (const identity of identities) owners.set(identity, entry.key);
        return made;
      }
      // With a full disk, the response stays in the record, which is as good.
      await entry.mark({ state: "sent" }).catch(() => undefined);
      throw new Failure(
        "unknown",
        "the server responded with a token that is not new, or with that of another item; nothing is deleted",
      );
    },
  };
}

function identitiesOf(token: string | null, id: string | null): readonly string[] {
  return [token === null ? null : hashOf(token), id].filter((identity) => identity !== null);
}
