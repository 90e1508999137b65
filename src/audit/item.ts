// What an audit keeps of each thing that has access: a few fields of every grant, authorization and credential, small
// enough that a hundred thousand fit into memory. Never a token's value.
import type { App, Authorization, CredentialAuthorization, Grant, Id } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";
import { createPacker } from "./packed-item.ts";

export type Resource = "grant" | "authorization" | "credential";

/** One thing that has access. What the service does not say is null; an empty note or fingerprint is none. */
export interface Item {
  readonly resource: Resource;
  readonly id: Id;
  /** What a person knows it by: an application's name, a note, a token's last eight characters, a member. */
  readonly name: string;
  /** The application behind it, by name and client ID; personal tokens have none. */
  readonly application: string | null;
  readonly clientId: string | null;
  readonly note: string | null;
  readonly fingerprint: string | null;
  readonly scopes: readonly string[] | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly expiresAt: string | null;
  readonly usedAt: string | null;
  readonly hash: string | null;
  readonly lastEight: string | null;
}

/** Operators answer this client ID for personal tokens, which belong to no application. */
const noApplication = /^0*$/;

/** More different texts than this are kept as they come: then nothing is gained by looking for equal ones. */
const mostShared = 10_000;

export interface ItemMaker {
  readonly ofGrant: (grant: Grant) => Item;
  readonly ofAuthorization: (authorization: Authorization) => Item;
  readonly ofCredential: (credential: CredentialAuthorization) => Item;
}

/** Makes items of what the service answers. Names and scopes that come again are kept once. */
export function createItemMaker(): ItemMaker {
  const pack = createPacker();
  const texts = new Map<string, string>();
  const scopeLists = new Map<string, readonly string[]>();

  const shareText = (text: string | null): string | null => (text === null ? null : share(texts, text, text));
  const shareScopes = (scopes: readonly string[] | null | undefined): readonly string[] => {
    const list = (scopes ?? []).map((scope) => share(texts, scope, scope));
    return share(scopeLists, JSON.stringify(list), list);
  };
  const applicationOf = (app: App | null | undefined): Pick<Item, "application" | "clientId"> => {
    const clientId = filled(app?.client_id);
    if (clientId !== null && noApplication.test(clientId)) return { application: null, clientId: null };
    return { application: shareText(filled(app?.name)), clientId: shareText(clientId) };
  };

  return {
    ofGrant(grant) {
      const { application, clientId } = applicationOf(grant.app);
      return pack({
        resource: "grant",
        id: grant.id,
        name: application ?? clientId ?? "an application without a name",
        application,
        clientId,
        note: null,
        fingerprint: null,
        scopes: shareScopes(grant.scopes),
        createdAt: filled(grant.created_at),
        updatedAt: filled(grant.updated_at),
        expiresAt: null,
        usedAt: null,
        hash: null,
        lastEight: null,
      });
    },
    ofAuthorization(authorization) {
      const { application, clientId } = applicationOf(authorization.app);
      const note = filled(authorization.note);
      const lastEight = filled(authorization.token_last_eight);
      return pack({
        resource: "authorization",
        id: authorization.id,
        name: note ?? application ?? (lastEight === null ? "a token" : `the token ending in ${lastEight}`),
        application,
        clientId,
        note,
        fingerprint: filled(authorization.fingerprint),
        scopes: shareScopes(authorization.scopes),
        createdAt: filled(authorization.created_at),
        updatedAt: filled(authorization.updated_at),
        expiresAt: filled(authorization.expires_at),
        usedAt: null,
        hash: filled(authorization.hashed_token),
        lastEight,
      });
    },
    ofCredential(credential) {
      const { login, credential_id: id, credential_type: kind, scopes } = credential;
      return pack({
        resource: "credential",
        id,
        name: shareText(`${login}: ${kind}`) ?? kind,
        application: null,
        clientId: null,
        note: null,
        fingerprint: null,
        // A key has none, and reaches as far as its owner does.
        scopes: scopes === null || scopes === undefined ? null : shareScopes(scopes),
        createdAt: filled(credential.credential_authorized_at),
        updatedAt: null,
        expiresAt: filled(credential.authorized_credential_expires_at),
        usedAt: filled(credential.credential_accessed_at),
        hash: null,
        lastEight: filled(credential.token_last_eight),
      });
    },
  };
}

/** The value that this key had first. */
function share<Value>(known: Map<string, Value>, key: string, value: Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size < mostShared) known.set(key, value);
  return value;
}

function filled(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

/** What tells items apart, of one run and of another. */
export function keyOf({ resource, id }: Pick<Item, "resource" | "id">): string {
  return `${resource} ${textOf(id)}`;
}

/** The same within one list: a number where that has every digit, as texts take several times its memory. */
export function keyOfId(id: Id): number | string {
  return typeof id === "number" ? id : textOf(id);
}

/** The order of identifiers by all their digits. */
export function compareIds(first: Id, second: Id): number {
  if (typeof first === "number" && typeof second === "number") return first - second;
  const [one, other] = [BigInt(textOf(first)), BigInt(textOf(second))];
  return one < other ? -1 : one > other ? 1 : 0;
}
