// Makes a token: its value, its hash for the store, and the rules about notes and fingerprints within an account.
import { refuseField } from "../http/answer.ts";
import { hashToken } from "../identity/secrets.ts";
import type { AuthorizationRecord, NewAuthorization } from "../store/authorization-store.ts";
import type { Behaviour } from "../operator.ts";
import type { Store } from "../store/store.ts";
import type { HandlerOptions } from "./handler-options.ts";

/** The fields of a new authorization, without its token. */
export type NewAuthorizationFields = Pick<
  NewAuthorization,
  "accountId" | "applicationId" | "note" | "noteUrl" | "fingerprint" | "scopes"
>;

/** A new token, with its hash and last eight characters, which are stored. */
export function issueToken(
  { makeToken }: Behaviour,
  isPersonal: boolean,
): { token: string } & Pick<AuthorizationRecord, "tokenHash" | "tokenLastEight"> {
  const token = makeToken(isPersonal);
  return { token, tokenHash: hashToken(token), tokenLastEight: token.slice(-8) };
}

/**
 * Stores a new authorization with a new token, inside the caller's transaction. `at` is in seconds. Returns the record
 * and the token, which cannot be read again.
 */
export function createAuthorization(
  { store, behaviour }: Pick<HandlerOptions, "store" | "behaviour">,
  fields: NewAuthorizationFields,
  at: number,
): { authorization: AuthorizationRecord; token: string } {
  const { applicationId } = fields;
  const { token, tokenHash, tokenLastEight } = issueToken(behaviour, applicationId === null);
  // What is added stands before what is spread: the other way round, Node 20 takes longer than for the whole insert.
  const added = { createdAt: at, updatedAt: at, expiresAt: null, tokenHash, tokenLastEight, ...fields };
  const id = store.access.add(added);
  const application = applicationId === null ? null : (store.applications.find(applicationId) ?? null);
  return { authorization: { id, application, ...added }, token };
}

/** Throws a Refusal when another personal token of the account than `id` has the note. */
export function refuseUsedNote(store: Store, accountId: number, note: string, id: number | null): void {
  const user = store.authorizations.findPersonalByNote(accountId, note);
  if (user !== undefined && user.id !== id) throw refuseField("description", "already_exists");
}

/** Throws a Refusal when another token of the account for the same application has the fingerprint. */
export function refuseUsedFingerprint(
  store: Store,
  { accountId, applicationId, fingerprint }: NewAuthorizationFields,
  id: number | null,
): void {
  if (fingerprint === null) return;
  const user = store.authorizations.findByFingerprint(accountId, applicationId, fingerprint);
  if (user !== undefined && user.id !== id) throw refuseField("fingerprint", "already_exists");
}
