// Ends the token of an `authorization run` that may be left: by its ID if the server has answered, otherwise by its random
// fingerprint in the account's list. A token is deleted only if it has the fingerprint, and is reported as gone only if
// that is proven; otherwise it is left, with the reason.
import { deleteAuthorization, getAuthorization, listAuthorizations } from "../../api/authorizations.ts";
import { hasText } from "../../api/hashed-token.ts";
import type { Authorization } from "../../api/resources.ts";
import { isFailure } from "../../errors/errors.ts";
import type { Service } from "../../http/service.ts";
import { searchList } from "../../jobs/find.ts";
import { accountAbsence, settleOne } from "../../jobs/proof.ts";
import type { RunToken } from "../../journal/entries.ts";
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

/** `sentAt`: when its creation was sent, in milliseconds since 1970. Throws the failure of a request. */
export async function endRunToken(
  service: Service,
  { id, note, fingerprint }: RunToken,
  sentAt: number,
  context: Context,
): Promise<Ending> {
  const known = id === undefined ? null : await readOrNull(service, id);
  if (id !== undefined && (known === null || known.fingerprint === fingerprint))
    return { state: await deleteOrProveGone(service, id, context) };
  const { found, unclear } = await searchList<Authorization>(
    service,
    listAuthorizations,
    {
      wanted: 1,
      match: (item) => (item.fingerprint === fingerprint ? fingerprint : null),
      // A server that keeps no fingerprints shows the token without one.
      isComparable: (item) =>
        item.fingerprint !== undefined && (hasText(item.fingerprint) || item.note !== note),
    },
    context,
  );
  const token = found.get(fingerprint);
  if (token !== undefined) return { state: await deleteOrProveGone(service, toJson(token.id, 0), context) };
  if (known !== null)
    return {
      state: "left",
      reason: `the server created authorization ${toJson(known.id, 0)}, which has another fingerprint; if nothing else uses it, run \`grantctl authorization delete ${toJson(known.id, 0)}\``,
    };
  if (unclear !== null) return { state: "left", reason: `not found in the list, but ${unclear}` };
  const mayStillAppear = context.host.now() < sentAt + context.options.timeout * 1000 + settlingMs;
  if (mayStillAppear)
    return { state: "left", reason: "the request to create it may still take effect; try again in a minute" };
  return { state: "not-found" };
}

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
