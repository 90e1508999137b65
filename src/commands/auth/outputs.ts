// What the auth commands print as JSON.
import { object, optional, text, truth, word } from "../../output/json-schema.ts";
import { printsList, printsNothing, printsWhole, type Outputs } from "../../shapes/command-output.ts";
import { statusRowSchema } from "./status-rows.ts";
import type { LoginRow } from "./store-login.ts";

const login = object<LoginRow>("Login", "Who logged in where.", {
  profile: text("the profile that it was stored for"),
  base_url: text("the service's address"),
  username: optional(text("the account's user name")),
  client_id: optional(text("the application's client ID, for a login with --app")),
  store: word("where the secret is kept", "keychain", "file", "none"),
  proven: truth("whether the service has taken it"),
});

export const authOutputs: Outputs = {
  "auth login": printsWhole("who logged in where", login),
  "auth logout": printsNothing,
  "auth status": printsList(
    "an array of the parts of the credentials, each with where it comes from",
    statusRowSchema,
  ),
};
