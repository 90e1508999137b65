// Items of an audit, made of what the service answers.
import type { App, Authorization, CredentialAuthorization, Grant } from "../api/resources.ts";
import { breadthOf } from "./breadth.ts";
import type { Item } from "./item.ts";
import { createPacker } from "./packed-item.ts";

/** Operators answer this client ID for personal tokens, which belong to no application. */
const noApplication = /^0*$/;

/** The fields that an item is made of, for each kind of thing; snapshots take an authorization's token hash, too. */
export const grantFields = ["id", "app", "scopes", "created_at", "updated_at"] as const;
export const authorizationFields = [
  ...grantFields,
  "note",
  "token_last_eight",
  "fingerprint",
  "expires_at",
] as const;
export const credentialFields = [
  "login",
  "credential_id",
  "credential_type",
  "scopes",
  "credential_authorized_at",
  "authorized_credential_expires_at",
  "credential_accessed_at",
  "token_last_eight",
] as const;

/** After so many different texts, further ones are not looked up: equal ones have become rare by then. */
const mostShared = 10_000;

type Hashed = Pick<Authorization, "hashed_token">;

/** What an item may do. */
type Reach = Pick<Item, "scopes" | "breadth">;

const noScopes: readonly string[] = [];

const untold: Reach = { scopes: null, breadth: breadthOf(null) };

export interface ItemMaker {
  readonly ofGrant: (grant: Pick<Grant, (typeof grantFields)[number]>) => Item;
  readonly ofAuthorization: (
    authorization: Pick<Authorization, (typeof authorizationFields)[number]> & Partial<Hashed>,
  ) => Item;
  readonly ofCredential: (
    credential: Pick<CredentialAuthorization, (typeof credentialFields)[number]>,
  ) => Item;
}

/** Makes items of what the service answers. Names and scopes that come again are kept once. */
export function createItemMaker(): ItemMaker {
  const pack = createPacker();
  const texts = new Map<string, string>();
  const scopeLists = new Map<string, Reach>();
  /** The same by the very array: items whose scopes were read once share one. */
  const reaches = new Map<readonly string[], Reach>();

  const shareText = (text: string | null): string | null => (text === null ? null : share(texts, text, text));
  const reachOf = (scopes: readonly string[] | null | undefined): Reach => {
    const given = scopes ?? noScopes;
    const found = reaches.get(given);
    if (found !== undefined) return found;
    const list = given.map((scope) => share(texts, scope, scope));
    const reach = share(scopeLists, JSON.stringify(list), { scopes: list, breadth: breadthOf(list) });
    return share(reaches, given, reach);
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
        ...reachOf(grant.scopes),
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
        ...reachOf(authorization.scopes),
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
        name: `${login}: ${kind}`,
        application: null,
        clientId: null,
        note: null,
        fingerprint: null,
        // A key has none, and reaches as far as its owner does.
        ...(scopes === null || scopes === undefined ? untold : reachOf(scopes)),
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
function share<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size < mostShared) known.set(key, value);
  return value;
}

function filled(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
