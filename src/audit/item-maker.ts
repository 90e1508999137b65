// Items of an audit, made of what the service answers.
import type { App, Authorization, CredentialAuthorization, Grant } from "../api/resources.ts";
import { breadthOf } from "./breadth.ts";
import type { Application, Draft, Reach } from "./item-page.ts";
import { remember } from "./remember.ts";

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

type Hashed = Pick<Authorization, "hashed_token">;

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

/** Makes the items of a list, page by page. */
export interface ItemMaker {
  readonly ofGrants: (grants: readonly Pick<Grant, (typeof grantFields)[number]>[]) => readonly Draft[];
  readonly ofAuthorizations: (
    authorizations: readonly (Pick<Authorization, (typeof authorizationFields)[number]> & Partial<Hashed>)[],
  ) => readonly Draft[];
  readonly ofCredentials: (
    credentials: readonly Pick<CredentialAuthorization, (typeof credentialFields)[number]>[],
  ) => readonly Draft[];
}

/** Makes items of the service's answers. Equal applications and equal lists of scopes are kept in memory once. */
export function createItemMaker(): ItemMaker {
  const shareScope = remember((scope: string) => scope);
  const reachOfList = remember((json: string): Reach => {
    const scopes = (JSON.parse(json) as readonly string[]).map(shareScope);
    return { scopes, breadth: breadthOf(scopes) };
  });
  const applicationOfFields = remember((json: string): Application => {
    const [application = null, clientId = null] = JSON.parse(json) as readonly (string | null)[];
    return clientId !== null && personal.test(clientId) ? noApplication : { application, clientId };
  });
  // Looked up by the object itself first, because items that were read with equal scopes share one list.
  const reachOfSent = remember((scopes: readonly string[]) => reachOfList(JSON.stringify(scopes)));
  const reachOf = (scopes: readonly string[] | null | undefined): Reach =>
    scopes === null || scopes === undefined ? untold : reachOfSent(scopes);
  const applicationSent = remember((app: App) =>
    applicationOfFields(JSON.stringify([filled(app.name), filled(app.client_id)])),
  );
  const applicationOf = (app: App | null | undefined): Application =>
    app === null || app === undefined ? noApplication : applicationSent(app);

  return {
    ofGrants: (grants) =>
      grants.map((grant) => {
        const app = applicationOf(grant.app);
        return {
          ...nothingElse,
          resource: "grant",
          id: grant.id,
          name: app.application ?? app.clientId ?? "an application without a name",
          app,
          reach: reachOf(grant.scopes),
          createdAt: filled(grant.created_at),
          updatedAt: filled(grant.updated_at),
        };
      }),
    ofAuthorizations: (authorizations) =>
      authorizations.map((authorization) => {
        const app = applicationOf(authorization.app);
        const note = filled(authorization.note);
        const lastEight = filled(authorization.token_last_eight);
        const token = lastEight === null ? "a token" : `the token ending in ${lastEight}`;
        return {
          resource: "authorization",
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
    ofCredentials: (credentials) =>
      credentials.map((credential) => {
        const { login, credential_id: id, credential_type: kind, scopes } = credential;
        return {
          ...nothingElse,
          resource: "credential",
          id,
          name: `${login}: ${kind}`,
          app: noApplication,
          // A key has no scopes: it may do whatever its owner may do.
          reach: reachOf(scopes),
          createdAt: filled(credential.credential_authorized_at),
          updatedAt: null,
          expiresAt: filled(credential.authorized_credential_expires_at),
          usedAt: filled(credential.credential_accessed_at),
          lastEight: filled(credential.token_last_eight),
        };
      }),
  };
}

function filled(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
