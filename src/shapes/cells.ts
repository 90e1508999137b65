// What a person calls an application and an authorization.
import type { App, Authorization } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";

/** The application's name; empty where there is none. */
export function appName(app: App | null | undefined): string {
  return textOf(app?.name);
}

/** The note and the application's name of an authorization, without repetition; empty where it has neither. */
export function namesOfAuthorization({ note, app }: Pick<Authorization, "note" | "app">): readonly string[] {
  return [...new Set([textOf(note), appName(app)])].filter((name) => name !== "");
}
