// What an answer must hold to be believed, checked once, where it comes in. Only what grantctl relies on is checked,
// and as leniently as operators differ: fields they leave out or answer with null pass. The value itself is kept
// whole and unchanged, with fields that nobody here knows.
import * as v from "valibot";
import { LosslessNumber } from "lossless-json";
import type { Authorization, Grant } from "./resources.ts";

const id = v.union([
  v.pipe(v.number(), v.integer()),
  v.pipe(
    v.instance(LosslessNumber),
    v.check((number) => /^-?\d+$/.test(number.value)),
  ),
]);
const optionalText = v.nullish(v.string());
const scopes = v.nullish(v.array(v.string()));
const app = v.nullish(v.looseObject({ name: optionalText, client_id: optionalText, url: optionalText }));

const grant = v.looseObject({ id, app, scopes, created_at: optionalText, updated_at: optionalText });

const authorization = v.looseObject({
  id,
  app,
  scopes,
  token: optionalText,
  hashed_token: optionalText,
  token_last_eight: optionalText,
  note: optionalText,
  note_url: optionalText,
  fingerprint: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
});

const authorizationWithValue = v.looseObject({
  ...authorization.entries,
  token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,1024}$/)),
});

/** Checks one grant; throws a ValiError. */
export function checkGrant(value: unknown): Grant {
  v.parse(grant, value);
  return value as Grant;
}

/** Checks one authorization; throws a ValiError. */
export function checkAuthorization(value: unknown): Authorization {
  v.parse(authorization, value);
  return value as Authorization;
}

/** Checks one authorization where its value has no business; operators of another age send it all the same. */
export function checkAuthorizationWithoutValue(value: unknown): Authorization {
  const checked = checkAuthorization(value);
  return typeof checked.token === "string" && checked.token !== "" ? { ...checked, token: "" } : checked;
}

/** Checks an authorization that must show its token's value; throws a ValiError. */
export function checkAuthorizationWithValue(value: unknown): Authorization {
  v.parse(authorizationWithValue, value);
  return value as Authorization;
}
