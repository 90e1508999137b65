// The schemas of the API's resources, and of the status of an item in a job. A field is required if the specification
// promises it, and nullable if real servers return null.
import type { App, Authorization, Grant, Id, User } from "../api/resources.ts";
import { failureKinds, type FailureKind } from "../errors/errors.ts";
import {
  filledText,
  list,
  object,
  optional,
  orNull,
  text,
  truth,
  word,
  type Properties,
  type Schema,
} from "./json-schema.ts";

/** An ID of the service. */
export function id(description: string): Schema<Id> {
  return { type: "integer", description: `${description}; every digit is kept, beyond 2^53 too` };
}

const app = object<App>("App", "The application that a grant or a token belongs to.", {
  name: text("the application's name, which its owner chose"),
  client_id: text("the application's client ID, 20 characters"),
  url: text("the application's address"),
});

const created = text("when it was created, ISO 8601");
const updated = text("when it was last updated, ISO 8601; not when it was last used");

const address = "a URL of the API";
const user = object<User>("User", "The account that a token belongs to.", {
  login: text("the user name"),
  id: id("the account's identifier"),
  node_id: text("the account's global identifier"),
  avatar_url: text("the URL of the avatar"),
  gravatar_id: text("the Gravatar ID; often empty"),
  url: text("the account's URL in the API"),
  html_url: text("the account's page for a browser"),
  followers_url: text(address),
  following_url: text(address),
  gists_url: text(address),
  starred_url: text(address),
  subscriptions_url: text(address),
  organizations_url: text(address),
  repos_url: text(address),
  events_url: text(address),
  received_events_url: text(address),
  type: text("the type of account"),
  site_admin: truth("true if the account is a site administrator"),
});

export const grantSchema = object<Grant>("Grant", "An application that has access to the account.", {
  id: id("the grant's identifier"),
  url: text("the grant's URL in the API"),
  app: orNull(app),
  created_at: created,
  updated_at: updated,
  scopes: list(text("one scope"), "the scopes of all tokens that the application holds for the account"),
  user: optional(orNull(user)),
});

const installation: Schema<Readonly<Record<string, unknown>>> = {
  type: "object",
  description: "the installation of the application, for installation tokens; as sent by the server",
};

type WithoutUser = Omit<Authorization, "user">;

/** The properties of an authorization; `token` is the schema of its token in this command's output. */
function authorizationProperties(token: Schema<string>): Properties<WithoutUser> {
  return {
    id: id("the authorization's identifier"),
    url: text("the authorization's URL in the API"),
    app: orNull(app),
    token,
    hashed_token: orNull(text("a hash of the token: its SHA-256 in hexadecimal digits")),
    token_last_eight: orNull(text("the last eight characters of the token")),
    note: orNull(text("the purpose of the token")),
    note_url: orNull(text("a URL that describes the purpose of the token")),
    created_at: created,
    updated_at: updated,
    scopes: list(text("one scope"), "the scopes of this token"),
    fingerprint: orNull(text("tells tokens of one application apart; empty or null if there is none")),
    expires_at: optional(
      orNull(text("when it expires, ISO 8601; null for never, absent if the operator does not report it")),
    ),
    installation: optional(orNull(installation)),
  };
}

const noValue = word<string>("always empty: the value is shown only when a token is created", "");

export const authorizationSchema = object<WithoutUser>(
  "Authorization",
  "A token of the account with its metadata, without its value.",
  authorizationProperties(noValue),
);

export const newAuthorizationSchema = object<WithoutUser>(
  "NewAuthorization",
  "A new token with its value.",
  authorizationProperties(filledText("the token's value, which is shown only once")),
);

/** An authorization as the server returns it to its application. */
export type CheckedToken = WithoutUser & Required<Pick<Authorization, "user">>;

/** The output of check: the authorization with its user. */
export const checkedProperties: Properties<CheckedToken> = {
  ...authorizationProperties(word<string>("always empty: whoever checks a token already has it", "")),
  user,
};

export const checkedTokenSchema = object<CheckedToken>(
  "CheckedToken",
  "The authorization and the user of an active token.",
  checkedProperties,
);

/** The output of reset: the same with the new token. */
export const resetProperties: Properties<CheckedToken> = {
  ...checkedProperties,
  token: filledText("the new value, which is shown only once"),
};

/** The status of one item: one of `done`, or the reason why it was not done. */
export function statusSchema(...done: readonly string[]): Schema<string> {
  return word<string>(
    `the result: ${[...done, ""].join("; ")}unproven: not found, but nothing shows that the credentials are right; not-tried; or the class of its failure`,
    ...done,
    "unproven",
    "not-tried",
    ...failureKinds.filter(mayFailAnItem),
  );
}

/** True if an item can have this failure: `incomplete` is the whole job's, the others are of commands without items. */
function mayFailAnItem(kind: FailureKind): boolean {
  return kind !== "incomplete" && kind !== "exists" && kind !== "findings";
}
