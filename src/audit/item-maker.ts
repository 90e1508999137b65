// Items of an audit, made of what the service answers.
import type { App, Authorization, CredentialAuthorization, Grant } from "../api/resources.ts";
import { breadthOf } from "./breadth.ts";
import type { Item } from "./item.ts";
import { keepItems, type Application, type Reach } from "./item-page.ts";

/** Operators answer this client ID for personal tokens, which belong to no application. */
const personal = /^0*$/;

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

const noScopes: readonly string[] = [];

const untold: Reach = { scopes: null, breadth: breadthOf(null) };

const noApplication: Application = { application: null, clientId: null };

/** What only authorizations have, or only credentials. */
const nothingElse = {
  note: null,
  fingerprint: null,
  hash: null,
  lastEight: null,
  expiresAt: null,
  usedAt: null,
} as const;

/** Makes items of the pages of a list. */
export interface ItemMaker {
  readonly ofGrants: (grants: readonly Pick<Grant, (typeof grantFields)[number]>[]) => readonly Item[];
  readonly ofAuthorizations: (
    authorizations: readonly (Pick<Authorization, (typeof authorizationFields)[number]> & Partial<Hashed>)[],
  ) => readonly Item[];
  readonly ofCredentials: (
    credentials: readonly Pick<CredentialAuthorization, (typeof credentialFields)[number]>[],
  ) => readonly Item[];
}

/** Makes items of what the service answers. Applications and scopes that come again are kept once. */
export function createItemMaker(): ItemMaker {
  const texts = new Map<string, string>();
  const applications = new Map<string, Application>();
  const reaches = new Map<string, Reach>();
  /** The same by the very object or array: items for which it was read once share one. */
  const applicationsAsSent = new Map<App, Application>();
  const reachesAsSent = new Map<readonly string[], Reach>();

  const reachOf = (scopes: readonly string[] | null | undefined): Reach => {
    const given = scopes ?? noScopes;
    const found = reachesAsSent.get(given);
    if (found !== undefined) return found;
    const list = given.map((scope) => share(texts, scope, scope));
    const reach = share(reaches, JSON.stringify(list), { scopes: list, breadth: breadthOf(list) });
    return share(reachesAsSent, given, reach);
  };
  const applicationOf = (app: App | null | undefined): Application => {
    if (app === null || app === undefined) return noApplication;
    const found = applicationsAsSent.get(app);
    if (found !== undefined) return found;
    const [name, clientId] = [filled(app.name), filled(app.client_id)];
    const isNone = clientId !== null && personal.test(clientId);
    const application = isNone ? noApplication : { application: name, clientId };
    const shared = share(applications, JSON.stringify(application), application);
    return share(applicationsAsSent, app, shared);
  };

  return {
    ofGrants: (grants) =>
      keepItems(
        "grant",
        grants.map((grant) => {
          const app = applicationOf(grant.app);
          return {
            ...nothingElse,
            id: grant.id,
            name: app.application ?? app.clientId ?? "an application without a name",
            app,
            reach: reachOf(grant.scopes),
            createdAt: filled(grant.created_at),
            updatedAt: filled(grant.updated_at),
          };
        }),
      ),
    ofAuthorizations: (authorizations) =>
      keepItems(
        "authorization",
        authorizations.map((authorization) => {
          const app = applicationOf(authorization.app);
          const note = filled(authorization.note);
          const lastEight = filled(authorization.token_last_eight);
          const token = lastEight === null ? "a token" : `the token ending in ${lastEight}`;
          return {
            id: authorization.id,
            name: note ?? app.application ?? token,
            app,
            note,
            fingerprint: filled(authorization.fingerprint),
            reach: reachOf(authorization.scopes),
            createdAt: filled(authorization.created_at),
            updatedAt: filled(authorization.updated_at),
            expiresAt: filled(authorization.expires_at),
            usedAt: null,
            hash: filled(authorization.hashed_token),
            lastEight,
          };
        }),
      ),
    ofCredentials: (credentials) =>
      keepItems(
        "credential",
        credentials.map((credential) => {
          const { login, credential_id: id, credential_type: kind, scopes } = credential;
          return {
            ...nothingElse,
            id,
            name: `${login}: ${kind}`,
            app: noApplication,
            // A key has none, and reaches as far as its owner does.
            reach: scopes === null || scopes === undefined ? untold : reachOf(scopes),
            createdAt: filled(credential.credential_authorized_at),
            updatedAt: null,
            expiresAt: filled(credential.authorized_credential_expires_at),
            usedAt: filled(credential.credential_accessed_at),
            lastEight: filled(credential.token_last_eight),
          };
        }),
      ),
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
