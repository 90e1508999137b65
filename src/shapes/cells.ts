// What a person calls an application.
import type { App } from "../api/resources.ts";
import { textOf } from "../output/presentation.ts";

/** The application's name; empty where there is none. */
export function appName(app: App | null | undefined): string {
  return textOf(app?.name);
}
