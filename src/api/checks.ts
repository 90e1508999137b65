// Validates responses when they arrive. Each check throws a TypeError that names the field. Checks only the fields that
// grantctl relies on, and accepts fields that some server types omit or send as null. Returns the object unchanged, with its
// unknown fields. Handwritten instead of based on a validation library, for speed: every item of a list is checked.
import { LosslessNumber } from "lossless-json";
import { isObject } from "../json.ts";
import { isTokenValue } from "../token.ts";
import { idText, type Authorization, type Grant, type Id } from "./resources.ts";

export function checkGrant(value: unknown): Grant {
  checkFields(value, "grant", ["created_at", "updated_at"]);
  return value as Grant;
}

const textsOfAuthorization =
  "token hashed_token token_last_eight note note_url fingerprint created_at updated_at".split(" ");

export function checkAuthorization(value: unknown): Authorization {
  checkFields(value, "authorization", textsOfAuthorization);
  return value as Authorization;
}

/** Checks one authorization and clears its `token`, which the specification leaves empty but old servers send. */
export function checkAuthorizationWithoutValue(value: unknown): Authorization {
  const checked = checkAuthorization(value);
  return typeof checked.token === "string" && checked.token !== "" ? { ...checked, token: "" } : checked;
}

/** Extends a check to reject items with another ID with a TypeError. `id` is in decimal digits. */
export function withId<Item extends { readonly id: Id }>(
  check: (value: unknown) => Item,
  id: string,
): (value: unknown) => Item {
  return (value) => {
    const item = check(value);
    if (idText(item.id) !== id) throw new TypeError("id belongs to another item");
    return item;
  };
}

export function checkAuthorizationWithValue(value: unknown): Authorization {
  const checked = checkAuthorization(value);
  if (!isTokenValue(checked.token)) throw new TypeError("token is not a token's value");
  return checked;
}

/** Checks the ID, the application, the scopes, and texts that may be null or missing. */
function checkFields(fields: unknown, name: string, texts: readonly string[]): void {
  if (!isObject(fields)) throw new TypeError(`${name} is not an object`);
  const { id, app = null, scopes = null } = fields;
  if (!Number.isInteger(id instanceof LosslessNumber ? Number(id.value) : id))
    throw new TypeError("id is not an integer");
  if (isObject(app)) checkTexts(app, ["name", "client_id", "url"], "app.");
  else if (app !== null) throw new TypeError("app is not an object");
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  if (scopes !== null && !isList) throw new TypeError("scopes is not a list of strings");
  checkTexts(fields, texts);
}

function checkTexts(fields: Readonly<Record<string, unknown>>, names: readonly string[], place = ""): void {
  for (const name of names) {
    const value = fields[name] ?? null;
    if (typeof value !== "string" && value !== null) throw new TypeError(`${place}${name} is not a string`);
  }
}
