// The JSON and the tables of the sandbox commands: what a sandbox reports about itself, its one-time passwords, and its
// notices to the owners of reported tokens.
//
// The description is the sandbox's own type, printed as it is; the other two are read from a running sandbox and checked
// by `ask-sandbox.ts`. The schemas are also read by completion and the reference, which load no command.
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

export const codeSchema = objectWith("Code", "A one-time password that was sent and is still taken.", {
  login: text("the account's user name"),
  code: text("the code, six digits"),
  sent_at: text("when it was sent, ISO 8601"),
  expires_at: text("until when it is taken, ISO 8601"),
});

/** A code that the sandbox accepts, with the times of its sending and its end. */
export type CodeRow = TypeOf<typeof codeSchema>;

export const codesPresentation = present(codeSchema, [
  column("SENT", "sent_at", { isWhole: true, priority: 2 }),
  column("TO", "login"),
  column("CODE", "code", { isWhole: true }),
  column("GOOD UNTIL", "expires_at", { isWhole: true, priority: 2 }),
]);

export const noticeSchema = objectWith("Notice", "What the owner of a reported token was told.", {
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
