// Validates responses when they arrive. Each check throws a TypeError that names the field. Checks only the fields that
// grantctl relies on, and accepts fields that some server types omit or send as null. Returns the object unchanged, with its
// unknown fields. Handwritten instead of based on a validation library, for speed: every item of a list is checked.
import { LosslessNumber } from "lossless-json";
import { isTokenValue } from "../token.ts";
import type { Authorization, Grant, Id } from "./resources.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export function checkGrant(value: unknown): Grant {
  checkFields(requireObject(value, "grant"), ["created_at", "updated_at"]);
  return value as Grant;
}

const textsOfAuthorization =
  "token hashed_token token_last_eight note note_url fingerprint created_at updated_at".split(" ");

export function checkAuthorization(value: unknown): Authorization {
  checkFields(requireObject(value, "authorization"), textsOfAuthorization);
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
    if (String(item.id) !== id) throw new TypeError("id belongs to another item");
    return item;
  };
}

/** Checks an authorization that must include its token value. */
export function checkAuthorizationWithValue(value: unknown): Authorization {
  const checked = checkAuthorization(value);
  if (!isTokenValue(checked.token)) throw new TypeError("token is not a token's value");
  return checked;
}

function requireObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null) throw new TypeError(`${name} is not an object`);
  return value as JsonObject;
}

/** Checks the ID, the application, the scopes, and texts that may be null or missing. */
function checkFields(fields: JsonObject, texts: readonly string[]): void {
  const { id, app, scopes } = fields;
  if (!Number.isInteger(id instanceof LosslessNumber ? Number(id.value) : id))
    throw new TypeError("id is not an integer");
  if (app !== null && app !== undefined)
    checkTexts(requireObject(app, "app"), ["name", "client_id", "url"], "app.");
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  if (scopes !== null && scopes !== undefined && !isList)
    throw new TypeError("scopes is not a list of strings");
  checkTexts(fields, texts);
}

function checkTexts(fields: JsonObject, names: readonly string[], place = ""): void {
  for (const name of names) {
    const value = fields[name];
    if (typeof value !== "string" && value !== null && value !== undefined)
      throw new TypeError(`${place}${name} is not a string`);
  }
}
