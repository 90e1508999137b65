// The JSON that `sandbox start` prints: the sandbox's own description of itself. Completion also uses the schema, without
// loading a command.
import {
  list,
  object,
  objectWith,
  orNull,
  text,
  truth,
  wholeNumber,
  word,
} from "../../schema/json-schema.ts";
import type { SandboxDescription } from "../../sandbox/sandbox.ts";

const application = objectWith("SandboxApplication", "An application that has a token.", {
  name: text("its name"),
  url: text("its address"),
  client_id: text("its client ID"),
  client_secret: text("its client secret"),
});

const token = objectWith("SandboxToken", "An active token of the first application, with its value.", {
  id: wholeNumber("the authorization's identifier"),
  token: text("its value"),
  token_last_eight: text("its last eight characters"),
  scopes: list(text("one scope"), "its scopes"),
  fingerprint: text("its fingerprint; empty if there is none"),
});

const organization = objectWith("SandboxOrganization", "An organization that the account is a member of.", {
  id: wholeNumber("the organization's identifier"),
  login: text("its name"),
  enforces_sso: truth("true if personal tokens require approval for it"),
});

export const sandboxSchema = object<SandboxDescription>(
  "Sandbox",
  "The address of a sandbox and its credentials.",
  {
    base_url: text("the server's address"),
    username: text("the account's user name"),
    password: text("the account's password"),
    otp: word("the source of the account's one-time passwords", "none", "app", "sms"),
    totp_secret: orNull(text("base32, for SHA-1, six digits and 30 seconds; null except in mode app")),
    otp_command: orNull(text("a command that prints a valid code; null in mode none")),
    client_id: text("the first application's client ID"),
    client_secret: text("the first application's client secret"),
    applications: list(application, "every application that has a token"),
    tokens: list(token, "active tokens of the first application"),
    organizations: list(organization, "the account's organizations"),
  },
);
