// Cells that grants and authorizations share.
import type { App } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";

/** The application's name; empty where there is none. */
export function appName(app: App | null | undefined): string {
  return textOf(app?.name);
}

/** The scopes, with commas. */
export function scopesOf(item: { readonly scopes: readonly string[] | null | undefined }): string {
  return (item.scopes ?? []).join(",");
}
