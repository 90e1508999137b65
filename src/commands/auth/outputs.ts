// What the auth commands print as JSON.
import { list, object, optional, orNull, text, truth, word } from "../../output/json-schema.ts";
import { printsList, printsNothing, printsOne, type Outputs } from "../../shapes/command-output.ts";
import type { Place, StatusRow } from "./status-rows.ts";
import type { LoginRow } from "./store-login.ts";

const place = object<Place>("Place", "One place that was looked at.", {
  source: text("flag, environment, profile, keychain, file, prompt or default"),
  name: text("the flag, variable or key; empty where the source says it all"),
  state: word("elsewhere: there, but for another address or user", "set", "unset", "elsewhere"),
});

const status = object<StatusRow>("Setting", "A part of the credentials, and where it comes from.", {
  setting: text("which part"),
  value: orNull(text("its value; null where there is none, and always for secrets")),
  source: orNull(text("where it comes from; null where nowhere")),
  state: orNull(text("what is known of a secret that is stored")),
  chain: list(place, "every place, in the order they are looked at"),
});

const login = object<LoginRow>("Login", "Who logged in where.", {
  profile: text("the profile that it was stored for"),
  base_url: text("the service's address"),
  username: optional(text("the account's user name")),
  client_id: optional(text("the application's client ID, for a login with --app")),
  store: word("where the secret is kept", "keychain", "file", "none"),
  proven: truth("whether the service has taken it"),
});

export const authOutputs: Outputs = {
  "auth login": printsOne("who logged in where", login),
  "auth logout": printsNothing,
  "auth status": printsList(
    "an array of the parts of the credentials, each with where it comes from",
    status,
  ),
};
