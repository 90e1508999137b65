// Cells that grants and authorizations share.
import type { App } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";
import { relativeDate } from "../output/relative-date.ts";

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

/** How long ago a timestamp was, and the timestamp where that cannot be said. `now` is in milliseconds since 1970. */
export function agoOf(timestamp: string | null | undefined, now: number): string {
  const text = textOf(timestamp);
  return relativeDate(text, now) ?? text;
}
