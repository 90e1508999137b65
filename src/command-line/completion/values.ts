// Which values may be completed for a flag or an argument. Decided by its name in the command table, so that `<file>`
// is a file everywhere; for flags whose name does not tell, there is a table here.
import { profileKeyNames } from "../../config/profile-keys.ts";
import { defaultProfileKey } from "../../commands/config/setting-key.ts";

/** What this machine knows: profiles by name, what `recover list` shows by id, or the values of one setting. */
export type LocalValues = "profiles" | "leftovers" | "base_url" | "username" | "client_id" | "header_word";

export type Values =
  /** Text of the user's own: nothing is offered. */
  | { readonly kind: "text" }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  /** A program, and then its own arguments. */
  | { readonly kind: "program" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** What grantctl itself finds on this machine when it is asked. */
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
 * What may stand where the command table says `name`: behind the flag `long`, or as an argument of the command `path`.
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
