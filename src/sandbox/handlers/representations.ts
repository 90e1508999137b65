// Resources as JSON (the specification, 2). Owns field order, addresses and the rule which fields are empty. Tokens are
// passed in, because the store has only their hashes.
import type { App, Authorization, Grant, User } from "../../api/resources.ts";
import { documentationUrl } from "../http/answer.ts";
import type { AccountRecord } from "../store/account-store.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import type { HandlerOptions } from "./handler-options.ts";
import { createNodeId } from "./node-ids.ts";

const personalClientId = "0".repeat(20);

type Place = Pick<HandlerOptions, "baseUrl" | "behaviour">;

/** A grant of the account at its address below the base URL. */
export function representGrant(
  { baseUrl, behaviour }: Place,
  grant: GrantRecord,
  account: Pick<AccountRecord, "id" | "login">,
): Grant {
  return {
    id: grant.id,
    url: `${baseUrl}/applications/grants/${grant.id}`,
    app: {
      url: grant.application.url,
      name: grant.application.name,
      client_id: grant.application.clientId,
    },
    created_at: formatTime(grant.createdAt),
    updated_at: formatTime(grant.updatedAt),
    scopes: grant.scopes,
    ...(behaviour.isOfToday ? { user: representUser(baseUrl, account) } : {}),
  };
}

/** The address of an authorization in the API. */
export function authorizationUrl(baseUrl: string, id: number): string {
  return `${baseUrl}/authorizations/${id}`;
}

/** An authorization; `token` is its value where the service shows it, and "" elsewhere (the specification, 2.3). */
export function representAuthorization(
  { baseUrl, behaviour }: Place,
  authorization: AuthorizationRecord,
  token: string,
): Authorization {
  return {
    id: authorization.id,
    url: authorizationUrl(baseUrl, authorization.id),
    app: representApp(authorization),
    token,
    hashed_token: authorization.tokenHash,
    token_last_eight: authorization.tokenLastEight,
    note: authorization.note,
    note_url: authorization.noteUrl,
    created_at: formatTime(authorization.createdAt),
    updated_at: formatTime(authorization.updatedAt),
    scopes: authorization.scopes,
    fingerprint: behaviour.isOfToday ? authorization.fingerprint : (authorization.fingerprint ?? ""),
    ...(behaviour.isOfToday
      ? {
          expires_at: timeOrNull(authorization.expiresAt),
          installation: null,
        }
      : {}),
  };
}

function representApp({ application, note, noteUrl }: AuthorizationRecord): App {
  return application === null
    ? { url: noteUrl ?? documentationUrl, name: note ?? "", client_id: personalClientId }
    : { url: application.url, name: application.name, client_id: application.clientId };
}

/** The account of a token, with the eighteen fields of the specification, 2.4. */
export function representUser(baseUrl: string, { id, login }: Pick<AccountRecord, "id" | "login">): User {
  const url = `${baseUrl}/users/${login}`;
  return {
    login,
    id,
    node_id: createNodeId("User", id),
    avatar_url: `https://avatars.example.com/u/${id}`,
    gravatar_id: "",
    url,
    html_url: `${baseUrl}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: "User",
    site_admin: false,
  };
}

/** Seconds since the epoch as `2026-11-20T19:02:04Z`. */
export function formatTime(seconds: number): string {
  const time = new Date(seconds * 1000);
  const day = `${time.getUTCFullYear()}-${twoDigits(time.getUTCMonth() + 1)}-${twoDigits(time.getUTCDate())}`;
  // A page has two hundred of these, and toISOString takes three times as long.
  return `${day}T${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}Z`;
}

/** A time in the form of the API; null for one that may not have come, or never will. */
export function timeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : formatTime(seconds);
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}
