// The JSON and the tables of the sandbox commands: what a sandbox reports about itself, its one-time passwords, and its
// notices to the owners of reported tokens.
//
// The description is the sandbox's own type, printed unchanged; the other two are read from a running sandbox and
// validated by `control-requests.ts`. Completion and the reference also use the schemas, without loading a command.
import {
  list,
  object,
  objectWith,
  orNull,
  text,
  truth,
  type TypeOf,
  wholeNumber,
  word,
} from "../../schema/json-schema.ts";
import { column, present } from "../../printing/presentation.ts";
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

export const codeSchema = objectWith("Code", "A one-time password that was sent and is still accepted.", {
  login: text("the account's user name"),
  code: text("the code, six digits"),
  sent_at: text("when it was sent, ISO 8601"),
  expires_at: text("when it expires, ISO 8601"),
});

export type CodeRow = TypeOf<typeof codeSchema>;

export const codesPresentation = present(codeSchema, [
  column("SENT", "sent_at", { isWhole: true, priority: 2 }),
  column("TO", "login"),
  column("CODE", "code", { isWhole: true }),
  column("EXPIRES", "expires_at", { isWhole: true, priority: 2 }),
]);

export const noticeSchema = objectWith("Notice", "A notice to the owner of a reported token.", {
  login: text("the owner's user name"),
  token_last_eight: text("the last eight characters of the token"),
  sent_at: text("when, ISO 8601"),
});

export type NoticeRow = TypeOf<typeof noticeSchema>;

export const noticesPresentation = present(noticeSchema, [
  column("SENT", "sent_at", { isWhole: true, priority: 2 }),
  column("TO", "login"),
  column("LAST EIGHT", "token_last_eight", { isWhole: true }),
]);
