// The common parts of representations: users, times, and global node IDs.
//
// A resource's own representation is in the module with its routes. Field order and names are those of the
// specification (2), and the types of REST resources are the ones that the client reads; nothing else is shared with
// it.
//
// A node ID (the specification, 9.2) is `node_id` in REST and `id` in GraphQL. It is opaque to clients, in the form
// that operators used first, and contains the type and key of its object.
import type { User } from "../../api/resources.ts";
import type { AccountRecord } from "../store/store.ts";

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

export type NodeType =
  | "User"
  | "Organization"
  | "Repository"
  | "Issue"
  | "PullRequest"
  | "IssueComment"
  | "PullRequestReview"
  | "Commit"
  | "Grant"
  | "Authorization";

/** The node ID of an object; `key` is unique among the objects of its type. */
export function createNodeId(type: NodeType, key: number | string): string {
  return Buffer.from(`0${type.length}:${type}${key}`).toString("base64");
}

/** The type and key of a node ID, or null for anything else. */
export function parseNodeId(id: string): { readonly type: string; readonly key: string } | null {
  const text = Buffer.from(id, "base64").toString("latin1");
  const [, type = "", key = ""] = /^0\d{1,2}:([A-Za-z]+)(\d[0-9a-f:]*)$/.exec(text) ?? [];
  // Another text that decodes to the same bytes is no valid ID.
  return type !== "" && createNodeId(type as NodeType, key) === id ? { type, key } : null;
}
