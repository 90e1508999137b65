// The promise to scripts: the names of the fields that each command prints as JSON, one command per line.
import { expect, test } from "vitest";
import { helpPartsOf } from "../../src/command-line/help-sections.ts";
import { createWholeProgram } from "../../src/program.ts";

const user =
  "user.login user.id user.node_id user.avatar_url user.gravatar_id user.url user.html_url user.followers_url user.following_url user.gists_url user.starred_url user.subscriptions_url user.organizations_url user.repos_url user.events_url user.received_events_url user.type user.site_admin";
const authorization =
  "id url app app.name app.client_id app.url token hashed_token token_last_eight note note_url created_at updated_at scopes fingerprint expires_at installation";

const published = `
grant list: id url app app.name app.client_id app.url created_at updated_at scopes user ${user}
grant view: id url app app.name app.client_id app.url created_at updated_at scopes user ${user}
grant delete: status id name
authorization list: ${authorization}
authorization view: ${authorization}
authorization create: ${authorization}
authorization get-or-create: ${authorization}
authorization identify: ${authorization} sources sources_omitted
authorization update: ${authorization}
authorization rotate: status id_before id token note
authorization delete: status id name
token check: ${authorization} user ${user} sources sources_omitted
token inspect: token_last_eight state login scopes client_id expires_at kind sources sources_omitted
token reset: token_last_eight_before status ${authorization} user ${user} sources sources_omitted
token revoke: status token_last_eight sources sources_omitted
token revoke-grant: status token_last_eight sources sources_omitted
token report: status token_last_eight sources sources_omitted
auth login: profile base_url username client_id store proven
auth list: profile is_active base_url operator username client_id stores
auth status: setting value source state chain
recover list: id operation state address created_at items done values unknown journal token_last_eights resume failed to_go notes
recover show: token_last_eight_before token state
audit: account base_url operator incomplete incomplete.organizations summary summary.grants summary.authorizations summary.findings summary.items_with_findings summary.changes summary.rules summary.breadths summary.change_kinds findings changes grants authorizations
config get: profile key value
config list: profile key value
sandbox start: base_url username password otp totp_secret client_id client_secret tokens organizations
doctor: check status message hint
`;

test("every command prints the fields that are published", async () => {
  const { commands } = await createWholeProgram();
  const lines = commands
    .flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands))
    .map((command) => {
      const noun = command.parent?.parent ? `${command.parent.name()} ` : "";
      return `${noun}${command.name()}: ${helpPartsOf(command).fields.join(" ")}`;
    })
    .filter((line) => !line.endsWith(": "));
  expect(lines.toSorted()).toEqual(published.trim().split("\n").toSorted());
});
