// Which values are completed for a flag or an argument. Its value's name in the command table decides, so that `<file>`
// is a file everywhere; flags whose value's name is too general have a table here.
import { profileKeyNames } from "../../config/profile-keys.ts";
import { defaultProfileKey } from "../../commands/config/setting-key.ts";

/** Kinds of values that stand on this machine: names of profiles, ids of leftovers, or the values of one setting. */
export type LocalValues = "profiles" | "leftovers" | "base_url" | "username" | "client_id" | "header_word";

export type Values =
  /** Free text: nothing is offered. */
  | { readonly kind: "text" }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  /** A program, followed by its own arguments. */
  | { readonly kind: "program" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Values that are looked up on this machine when Tab is pressed. */
  | { readonly kind: "local"; readonly of: LocalValues };

const text: Values = { kind: "text" };

const byName: Readonly<Record<string, Values>> = {
  file: { kind: "file" },
  dir: { kind: "folder" },
  command: { kind: "program" },
  journal: { kind: "local", of: "leftovers" },
  key: { kind: "words", words: [...profileKeyNames, defaultProfileKey] },
};

const byFlag: Readonly<Record<string, Values>> = {
  "--profile": { kind: "local", of: "profiles" },
  "--base-url": { kind: "local", of: "base_url" },
  "--username": { kind: "local", of: "username" },
  "--client-id": { kind: "local", of: "client_id" },
  "--header-word": { kind: "local", of: "header_word" },
  "--method": { kind: "words", words: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] },
};

/**
 * The values of the placeholder `name`: of the flag `place.long`, or of an argument of the command `place.path`.
 */
export function valuesOf(
  name: string,
  choices: readonly string[] | undefined,
  place: { readonly long: string } | { readonly path: readonly string[] },
): Values {
  if (choices !== undefined) return { kind: "words", words: choices };
  if ("long" in place) return byFlag[place.long] ?? byName[name] ?? text;
  if (place.path[0] === "recover" && name === "id") return { kind: "local", of: "leftovers" };
  return byName[name] ?? text;
}
