// What a sandbox says of itself, as JSON.
import type { SandboxDescription } from "../../sandbox/sandbox.ts";
import { list, object, orNull, text, truth, wholeNumber, word } from "../../output/json-schema.ts";

const application = object<SandboxDescription["applications"][number]>(
  "SandboxApplication",
  "An application that has a token.",
  {
    name: text("its name"),
    url: text("its address"),
    client_id: text("its client ID"),
    client_secret: text("its client secret"),
  },
);

const token = object<SandboxDescription["tokens"][number]>(
  "SandboxToken",
  "A live token of the first application, with its value.",
  {
    id: wholeNumber("the authorization's identifier"),
    token: text("its value"),
    token_last_eight: text("its last eight characters"),
    scopes: list(text("one scope"), "its scopes"),
    fingerprint: text("its fingerprint; empty where there is none"),
  },
);

const organization = object<SandboxDescription["organizations"][number]>(
  "SandboxOrganization",
  "An organization that the account is a member of.",
  {
    id: wholeNumber("the organization's identifier"),
    login: text("its name"),
    enforces_sso: truth("whether personal tokens need an approval for it"),
  },
);

export const sandboxSchema = object<SandboxDescription>(
  "Sandbox",
  "Where a sandbox listens, and who may log in.",
  {
    base_url: text("the service's address"),
    username: text("the account's user name"),
    password: text("the account's password"),
    otp: word("how the account gets one-time passwords", "none", "app", "sms"),
    totp_secret: orNull(text("base32, for SHA-1, six digits and 30 seconds; null except in mode app")),
    otp_command: orNull(text("a command that prints a code that is good now; null in mode none")),
    client_id: text("the first application's client ID"),
    client_secret: text("the first application's client secret"),
    applications: list(application, "every application that has a token"),
    tokens: list(token, "live tokens of the first application"),
    organizations: list(organization, "the account's organizations"),
    settings_url: text("the settings page, for a browser; holds a key, which is new after each start"),
  },
);
