// Common parts of representations: users, times, and global node IDs.
//
// A resource's own representation is in the module with its routes. Field order and names are those of the
// specification (2). The types of REST resources are the client's; nothing else is shared with it.
//
// A node ID (the specification, 9.2) is `node_id` in REST and `id` in GraphQL. It is opaque to clients, has the oldest
// format of real operators, and contains the type and key of its object.
import type { User } from "../../api/resources.ts";
import type { AccountRecord } from "../store/store.ts";

/** A user with the eighteen fields of the specification, 2.4. */
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

/** Formats seconds since the epoch as `2026-11-20T19:02:04Z`. */
export function formatTime(seconds: number): string {
  const time = new Date(seconds * 1000);
  const day = `${time.getUTCFullYear()}-${twoDigits(time.getUTCMonth() + 1)}-${twoDigits(time.getUTCDate())}`;
  // A page has two hundred times, and toISOString takes three times as long.
  return `${day}T${twoDigits(time.getUTCHours())}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}Z`;
}

export function formatTimeOrNull(seconds: number | null): string | null {
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

/** `key` is unique among the objects of the type. */
export function createNodeId(type: NodeType, key: number | string): string {
  return Buffer.from(`0${type.length}:${type}${key}`).toString("base64");
}

/** Null if the ID is invalid. */
export function parseNodeId(id: string): { readonly type: string; readonly key: string } | null {
  const text = Buffer.from(id, "base64").toString("latin1");
  const [, type = "", key = ""] = /^0\d{1,2}:([A-Za-z]+)(\d[0-9a-f:]*)$/.exec(text) ?? [];
  // Several texts decode to the same bytes; only one of them is a valid ID.
  return type !== "" && createNodeId(type as NodeType, key) === id ? { type, key } : null;
}
