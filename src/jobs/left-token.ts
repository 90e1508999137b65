// What a later run does about the token of a creation that nobody has: of an `authorization run` that was interrupted, or of
// a request without a response that fits it. It is known by its ID if the server has responded, otherwise by a random
// fingerprint, or by the random text in a rotation's interim note. Without one it is only looked for, by client ID,
// fingerprint and note, because another run may have sent the same ones since: nothing shows which request made it. A token
// is reported as gone only if that is proven; otherwise it is left, with the reason.
import { deleteAuthorization, getAuthorization } from "../api/authorizations.ts";
import { idText, isPersonal, type Authorization } from "../api/resources.ts";
import { isSameNote } from "../api/token-responses.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import type { Service } from "../http/service.ts";
import { searchAuthorizations, type Search } from "./search-authorizations.ts";
import type { Creation, Entry } from "./journal.ts";
import { accountProof } from "./proof.ts";
import { textOf } from "../json.ts";
import { authorizations } from "../nouns.ts";
import type { Context } from "../run/context.ts";

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
    const proof = accountProof(service, authorizations, context);
    const { verdicts } = await proof.settle([{ item: id, failure: error }]);
    const verdict = verdicts.get(id);
    if (verdict?.status === "gone") return "not-found";
    throw verdict?.failure ?? error;
  }
}

/**
 * Ends the token of a creation, as its entry describes it. One that nothing else can be, and that the record does not know
 * as another one, is deleted; for any other, throws an incomplete failure that names it. Throws the failure of a request.
 */
export async function endLeftToken(
  service: Service,
  { id, creation, until }: Pick<Entry, "id" | "creation" | "until">,
  context: Context,
  isRecorded: (id: string) => boolean = () => false,
): Promise<"deleted" | "not-found"> {
  if (creation === undefined) throw new Failure("incomplete", "the record does not say what was created");
  // The ID of a response may be another's, or nobody's: a proxy may round it.
  const known = id === undefined ? null : await readOrNull(service, id);
  if (id !== undefined && (known === null ? creation.unique === undefined : matchesById(creation, known)))
    return deleteOrProveGone(service, id, context);
  const search: Search = {
    wanted: 1,
    match: (shown) => (matches(creation, shown) ? sought : null),
    isComparable: (shown) => canCompare(creation, shown),
  };
  const { found, unclear } = await searchAuthorizations(service, search, context);
  const token = found.get(sought) ?? known;
  if (token !== null) {
    const tokenId = idText(token.id);
    const deletion = `run \`grantctl authorization delete ${tokenId}\``;
    if (creation.unique !== undefined && token !== known && !isRecorded(tokenId))
      return deleteOrProveGone(service, tokenId, context).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
        const what = `authorization ${tokenId} could not be deleted (${error.message}); ${deletion}`;
        throw new Failure("incomplete", what);
      });
    const what =
      token === known ? "which differs from the request" : "which has the same note and fingerprint";
    const advice = `if nothing else uses it, ${deletion}`;
    throw new Failure("incomplete", `the server has authorization ${tokenId}, ${what}; ${advice}`);
  }
  if (unclear !== null) throw new Failure("incomplete", `not found in the list, but ${unclear}`);
  if (id !== undefined) return deleteOrProveGone(service, id, context);
  // Not "<": a date that cannot be read settles nothing.
  if (!(context.host.now() >= Date.parse(until ?? "") + lateMs))
    throw new Failure("incomplete", "the request to create it may still take effect; try again in a minute");
  return "not-found";
}

const sought = "sought";

function matches({ unique, fingerprint, note, client_id }: Creation, shown: Authorization): boolean {
  if (unique === "fingerprint") return shown.fingerprint === fingerprint;
  return (
    // Servers show "" for none.
    textOf(shown.fingerprint) === fingerprint &&
    isSameNote(shown.note, note) &&
    (client_id === null ? isPersonal(shown) : shown.app?.client_id === client_id)
  );
}

/** Like `matches`, for an ID that the server named: it may keep no fingerprints, and shows the token by its note. */
function matchesById(creation: Creation, shown: Authorization): boolean {
  return (
    matches(creation, shown) || (textOf(shown.fingerprint) === null && isSameNote(shown.note, creation.note))
  );
}

/** False for an authorization that lacks a field that is compared. */
function canCompare({ unique, fingerprint, note, client_id }: Creation, shown: Authorization): boolean {
  // A server that keeps no fingerprints shows the token without one.
  const isOfNote = shown.note === undefined || isSameNote(shown.note, note);
  if (fingerprint !== null && textOf(shown.fingerprint) === null && isOfNote) return false;
  if (unique === "fingerprint") return shown.fingerprint !== undefined;
  if (shown.note === undefined || unique === "note") return shown.note !== undefined;
  const hasApplication = shown.app === null || typeof shown.app?.client_id === "string";
  return shown.fingerprint !== undefined && (client_id === null || hasApplication);
}

/** How long a request without a response may still take effect, after its time limit. */
const lateMs = 60_000;

async function readOrNull(service: Service, id: string): Promise<Authorization | null> {
  try {
    return await getAuthorization(service, id);
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return null;
  }
}
