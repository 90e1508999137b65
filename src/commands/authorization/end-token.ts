// Ends the token of a creation that nobody has: of an `authorization run` that was interrupted, or of a request whose
// answer never came. It is known by its ID if the server has answered, otherwise by its random fingerprint; without one it
// is only looked for, because an authorization with the same note may be another's. A token is reported as gone only if
// that is proven; otherwise it is left, with the reason.
import { deleteAuthorization, getAuthorization, listAuthorizations } from "../../api/authorizations.ts";
import { hasText } from "../../api/hashed-token.ts";
import type { Authorization } from "../../api/resources.ts";
import { isFailure } from "../../errors/errors.ts";
import type { Service } from "../../http/service.ts";
import { searchList } from "../../jobs/find.ts";
import type { Creation, Entry } from "../../jobs/journal.ts";
import { accountAbsence, settleOne } from "../../jobs/proof.ts";
import { toJson } from "../../json/exact-json.ts";
import type { Context } from "../../run/context.ts";

export type Ending =
  | { readonly state: "deleted" }
  | { readonly state: "not-found" }
  | { readonly state: "left"; readonly reason: string };

/** Deletes the authorization with this ID. Throws the failure of the deletion, unless it is proven to be gone. */
export async function deleteOrProveGone(
  service: Service,
  id: string,
  context: Context,
): Promise<"deleted" | "not-found"> {
  try {
    await deleteAuthorization(service, id);
    return "deleted";
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    const items = { name: "authorization", list: listAuthorizations, read: getAuthorization };
    const absence = accountAbsence(service, [id], items, context);
    const verdict = await settleOne({ item: id, failure: error }, absence, context);
    if (verdict.state === "gone") return "not-found";
    throw verdict.failure;
  }
}

/** Throws the failure of a request. */
export async function endLeftToken(service: Service, entry: Entry, context: Context): Promise<Ending> {
  const { id, creation, at } = entry;
  if (creation === undefined) return { state: "left", reason: "the record does not say what was created" };
  const known = id === undefined ? null : await readOrNull(service, id);
  if (id !== undefined && (known === null || known.fingerprint === creation.fingerprint))
    return { state: await deleteOrProveGone(service, id, context) };
  const sentAt = Date.parse(at ?? "");
  const { found, unclear } = await searchList<Authorization>(
    service,
    listAuthorizations,
    {
      wanted: 1,
      match: (item) => (isOf(creation, item, sentAt) ? sought : null),
      // A server that keeps no fingerprints shows the token without one.
      isComparable: (item) =>
        item.fingerprint !== undefined &&
        (hasText(item.fingerprint) || creation.fingerprint === null || item.note !== creation.note),
    },
    context,
  );
  const token = found.get(sought) ?? known;
  if (token !== null) {
    const tokenId = toJson(token.id, 0);
    if (isRandom(creation) && token !== known)
      return { state: await deleteOrProveGone(service, tokenId, context) };
    const what =
      token === known ? "which has another fingerprint" : "which has the same note and fingerprint";
    return {
      state: "left",
      reason: `the server has authorization ${tokenId}, ${what}; if nothing else uses it, run \`grantctl authorization delete ${tokenId}\``,
    };
  }
  if (unclear !== null) return { state: "left", reason: `not found in the list, but ${unclear}` };
  // Not "<": a date that cannot be read settles nothing.
  if (!(context.host.now() >= sentAt + context.options.timeout * 1000 + settlingMs))
    return { state: "left", reason: "the request to create it may still take effect; try again in a minute" };
  return { state: "not-found" };
}

const sought = "sought";

/** True for the fingerprint of `authorization run`, which no other authorization has. */
function isRandom({ fingerprint }: Creation): boolean {
  return /^[0-9a-f]{32}$/.test(fingerprint ?? "");
}

function isOf(creation: Creation, item: Authorization, sentAt: number): boolean {
  if (isRandom(creation)) return item.fingerprint === creation.fingerprint;
  const isOlder = Date.parse(item.created_at ?? "") < sentAt - largestSkewMs;
  return (
    !isOlder &&
    // Servers show "" for none.
    (hasText(item.fingerprint) ? item.fingerprint : null) === creation.fingerprint &&
    (creation.note === null || (item.note ?? null) === creation.note) &&
    (creation.client_id === null || item.app?.client_id === creation.client_id)
  );
}

/** How much the clocks of this machine and of the server may differ. */
const largestSkewMs = 3_600_000;

/** How long a request without an answer may still take effect, after its time limit. */
const settlingMs = 60_000;

async function readOrNull(service: Service, id: string): Promise<Authorization | null> {
  try {
    return await getAuthorization(service, id);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return null;
  }
}
