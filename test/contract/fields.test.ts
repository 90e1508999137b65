// The promise to scripts: the names of the fields that each command prints as JSON, one command per line.
import { expect, test } from "vitest";
import { jsonFieldsOf } from "../../src/command-line/help.ts";
import { createWholeProgram } from "../support/whole-program.ts";

const user =
  "user.login user.id user.node_id user.avatar_url user.gravatar_id user.url user.html_url user.followers_url user.following_url user.gists_url user.starred_url user.subscriptions_url user.organizations_url user.repos_url user.events_url user.received_events_url user.type user.site_admin";
const authorization =
  "id url app app.name app.client_id app.url token hashed_token token_last_eight note note_url created_at updated_at scopes fingerprint expires_at installation";

const token =
  "token_last_eight status id note app app.name app.client_id app.url scopes login created_at updated_at expires_at sources reason";

const published = `
grant list: id url app app.name app.client_id app.url created_at updated_at scopes user ${user}
grant view: id url app app.name app.client_id app.url created_at updated_at scopes user ${user}
grant delete: id status name reason
authorization list: ${authorization}
authorization view: ${authorization}
authorization create: ${authorization}
authorization get-or-create: ${authorization}
authorization identify: ${token}
authorization update: ${authorization}
authorization rotate: id_before id note token_last_eight token status reason
authorization delete: id status name reason
token check: ${token}
token inspect: token_last_eight status login scopes client_id expires_at kind sources reason
token reset: token_last_eight_before token_last_eight id login token status reason
token revoke: ${token}
token revoke-grant: ${token}
token report: ${token}
auth list: profile base_url server_type username client_id default
auth status: name value source
recover list: id left operation server created_at items
recover show: token_last_eight_before token
audit: resource id name client_id note scopes access created_at updated_at expires_at findings command
config get: name value source
config list: name value source
sandbox start: base_url username password otp totp_secret client_id client_secret tokens organizations
doctor: check status detail fix
`;

test("every command prints the fields that are published", async () => {
  const { commands } = await createWholeProgram();
  const lines = commands
    .flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands))
    .map((command) => {
      const noun = command.parent?.parent ? `${command.parent.name()} ` : "";
      return `${noun}${command.name()}: ${jsonFieldsOf(command).join(" ")}`;
    })
    .filter((line) => !line.endsWith(": "));
  expect(lines.toSorted()).toEqual(published.trim().split("\n").toSorted());
});
