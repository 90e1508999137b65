// Cells that grants and authorizations share.
import type { App } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";

/** The fields that `--json` may name of an application. */
export const appFields = ["app", "app.name", "app.client_id", "app.url"] as const;

/** The application's name; empty where there is none. */
export function appName(app: App | null | undefined): string {
  return textOf(app?.name);
}

/** The scopes, with commas. */
export function scopesOf(item: { readonly scopes: readonly string[] | null | undefined }): string {
  return (item.scopes ?? []).join(",");
}

/** The fields that `--json` may name of a user, and the user as a whole. */
export const userFields: readonly string[] = [
  "user",
  "user.login",
  "user.id",
  "user.node_id",
  "user.avatar_url",
  "user.gravatar_id",
  "user.url",
  "user.html_url",
  "user.followers_url",
  "user.following_url",
  "user.gists_url",
  "user.starred_url",
  "user.subscriptions_url",
  "user.organizations_url",
  "user.repos_url",
  "user.events_url",
  "user.received_events_url",
  "user.type",
  "user.site_admin",
];
