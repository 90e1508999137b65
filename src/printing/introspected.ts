// The presentation of an active token of an OAuth 2.0 server: the standard introspection fields, and the full response.
import type { IntrospectedToken } from "../api/standard-tokens.ts";
import { column, type FieldOf, type Presentation } from "./presentation.ts";

const introspectedFields = [
  "token_last_eight",
  "client_id",
  "login",
  "scopes",
  "kind",
  "created_at",
  "expires_at",
  "introspection",
] as const satisfies readonly FieldOf<IntrospectedToken>[];

export const introspectedPresentation: Presentation<IntrospectedToken> = {
  fields: introspectedFields,
  columns: [
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 3 }),
    column("EXPIRES", "expires_at", { priority: 4 }),
    column("CLIENT ID", "client_id", { priority: 5 }),
    column("KIND", "kind", { priority: 6 }),
  ],
  moments: ["created_at", "expires_at"],
  shownOnRequest: ["introspection"],
};
