// Items of an audit, made of what the service answers.
import type { App, Authorization, CredentialAuthorization, Grant } from "../api/resources.ts";
import type { Item } from "./item.ts";
import { createPacker } from "./packed-item.ts";

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
