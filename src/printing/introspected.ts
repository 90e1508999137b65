// The presentation of an active token of an OAuth 2.0 server: the standard introspection fields, and the full response.
import type { IntrospectedToken } from "../api/standard-tokens.ts";
import { list, object, orNull, text, type Properties } from "../schema/json-schema.ts";
import { column, present } from "./presentation.ts";

export const introspectedProperties: Properties<IntrospectedToken> = {
  token_last_eight: text("the last eight characters of the token"),
  client_id: orNull(text("the client ID of its application")),
  login: orNull(text("the user name of the account, or its identifier if the server gives no name")),
  scopes: orNull(
    list(text("one scope"), "its scopes; null if the server does not report them (unknown, not none)"),
  ),
  kind: orNull(text("the type of the token, in the server's words")),
  created_at: orNull(text("when it was issued, ISO 8601")),
  expires_at: orNull(text("when it expires, ISO 8601")),
  introspection: { type: "object", description: "the server's response, unchanged" },
};

export const introspectedSchema = object<IntrospectedToken>(
  "IntrospectedToken",
  "An active token as an OAuth 2.0 server describes it (RFC 7662); null for fields that it does not report.",
  introspectedProperties,
);

export const introspectedPresentation = present(
  introspectedSchema,
  [
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 3 }),
    column("EXPIRES", "expires_at", { priority: 4 }),
    column("CLIENT ID", "client_id", { priority: 5 }),
    column("KIND", "kind", { priority: 6 }),
  ],
  { moments: ["created_at", "expires_at"], shownOnRequest: ["introspection"] },
);
