// Usage errors: what is suggested for a word or flag that grantctl does not know, and that a typed value is never repeated.
// Of commands, what needs nothing of a server or a file; the rest is in test/scripts.
import { expect, test } from "vitest";
import { runMain } from "../support/test-host.ts";

/** What is typed, the message, and the hint, if there is one. */
const rows = String.raw`
lgoin | unknown command 'lgoin' | Run ´grantctl --help´ for usage.
grnat list | unknown command 'grnat' | You may have meant ´grantctl grant´.
authz revoke 1 | unknown command 'revoke' | Run ´grantctl authorization delete´ to revoke the token of an authorization.
grant show 1 | unknown command 'show' | To look at one, use the verb ´view´, or ´token check´; ´recover´ alone has ´show´.
revoke | unknown command 'revoke' | You may have meant ´grantctl token revoke´.
GRANT list | unknown command | Run ´grantctl --help´ for usage.
grant list --frobnicate | unknown option '--frobnicate' | Run ´grantctl grant list --help´ for usage.
grant list --scopes=repo | unknown option '--scopes' | You may have meant --scope.
audit --output x.html | unknown option '--output' | Use --output-file FILE, or --format.
authorization list --nots ci | unknown option '--nots' | You may have meant --note.
grant list --proflie x | unknown option '--proflie' | You may have meant --profile.
completion | missing required argument 'shell' | Run ´grantctl completion --help´ for usage.
grant list --limit 1.5 | --limit must be a positive integer | Run ´grantctl grant list --help´ for usage.
grant list --timeout 1e3 | --timeout must be a number of seconds, more than 0 and at most 86400 | Run ´grantctl help flags´ for usage.
grant list --concurrency 0 | --concurrency must be a positive integer | Run ´grantctl help flags´ for usage.
grant list --server-type gitlab | --server-type must be one of service, github, oauth | Run ´grantctl help flags´ for usage.
grant view | no ID given, and a grant cannot be selected: there is no terminal | Run ´grantctl grant list´ to see the IDs.
grant view one | an ID must be a positive integer | Run ´grantctl grant list´ to see the IDs.
authorization create --note x --fingerprint a --machine-fingerprint | option '--machine-fingerprint' cannot be used with option '--fingerprint <text>' | Run ´grantctl authorization create --help´ for usage.
authorization update 1 | there is nothing to change | Add --note, --scope or another flag that specifies a change.
api | missing required argument 'path' | Run ´grantctl api --help´ for usage.
token delete | unknown command 'delete' | Run ´grantctl token revoke´ to revoke tokens.
list | unknown command 'list' | You may have meant ´grantctl auth list´, ´grantctl grant list´, ´grantctl authorization list´, ´grantctl recover list´ or ´grantctl config list´.
authorization run | missing required argument 'command' | Run ´grantctl authorization run --help´ for usage.
audit --fail-on scope | invalid rule scope | The rules are new, widened, scope=admin:*, older-than=1y, not-updated-for=180d, no-expiry, expires-within=30d, duplicate-note and no-note.
audit --fail-on new | the rule new needs an earlier audit | Add --compare audit.json, a file written by ´grantctl audit --json´.
audit --output-file audit.pdf | --output-file: .pdf is not a format | Use .html, .tsv, .csv, .json or .ndjson, or choose one with --format.
audit --compare nosuch.json | --compare nosuch.json: no such file or directory | Use a file written by ´grantctl audit --json´.
grant list --older-than 1d --older-than 2d | --older-than can be given only once | Run ´grantctl grant list --help´ for usage.
config set password hunter2 | unknown setting password | The settings are base_url, server_type, username, password_command, otp_command, client_id, client_secret_command, header_word, client_auth, introspection_path, revocation_path, userinfo_path, revoke_inactive, ca_cert, client_cert, client_key, allow_http, headers. To store a secret, run ´grantctl auth login´.
grant list --no-such-flag -- --json | unknown option '--no-such-flag' | Run ´grantctl grant list --help´ for usage.
audit --format xml | --format must be one of html, table, tsv, csv, json, ndjson | Run ´grantctl help formatting´ to see what they are.
grant view 1 2 | too many arguments: 1 expected | Run ´grantctl grant view --help´ for usage.
api /x -H | --header requires a value | Run ´grantctl api --help´ for usage.
version | unknown command 'version' | Run ´grantctl --version´.
grant list --desc | unknown option '--desc' | Run ´grantctl grant list --help´ for usage.
grant list --all | unknown option '--all' | A list has everything unless --limit is given; everything else names what it changes.
grant list --hostname ghe.example.com | unknown option '--hostname' | Use --base-url URL.
authorization run sh -c x | unknown option '-c' | Put -- before the command: ´grantctl authorization run -- COMMAND´.
help grnat | unknown command 'grnat' | You may have meant ´grantctl grant´.
help nosuch | unknown command 'nosuch' | Run ´grantctl --help´ for usage.
token check --proof-token-file nosuch.txt | cannot read nosuch.txt: no such file or directory
help revoke | unknown command 'revoke' | You may have meant ´grantctl token revoke´.
help grant lst | unknown command 'lst' | You may have meant ´grantctl grant list´.
auth login --token x | unknown option '--token' | A secret is never a flag, because ps and the shell's history would show it. Pass tokens in a file or on standard input; for api, set GRANTCTL_TOKEN.
api /x -F a=@/nonexistent/file | cannot read /nonexistent/file: no such file or directory
api /x --slurp | --slurp requires --paginate
api /x --paginate -X POST | --paginate requires a GET request
api /x --paginate -X GET -f page=2 | --paginate fetches every page, so it cannot be combined with page
api graphql | a GraphQL request needs a query | Add it with -f 'query={ viewer { login } }'.
grant delete --yes | no ID given, and grants cannot be selected: there is no terminal | Run ´grantctl grant list´ with the same filters, and pipe its lines into ´grantctl grant delete -´.
grant delete 1 two --yes | argument 2: an ID must be a positive integer | Run ´grantctl grant list´ to see the IDs, with --app NAME those of one application.
authorization create | --note is not given, and there is no terminal | Add --note TEXT, which says what the token is for.
authorization update 1 --scope repo --add-scope gist | --scope and --add-scope cannot be used together
sandbox start --port 99999 | port 99999 cannot be used (ERR_SOCKET_BAD_PORT)
authorization create --note n --to-command /dev/null/x | --to-command: command not found: /dev/null/x; nothing was sent | Use the name of a command on PATH, or its full path.
authorization create --note n --to-command nosuch | --to-command: command not found: nosuch; nothing was sent | Use the name of a command on PATH, or its full path.
auth login --proof-token-file token-1.txt | --proof-token-file verifies a client secret: add --app
auth logout --app --forget | --forget removes everything of the profile: omit --app and --base-url
config set base_url https://u:hunter2@x.test | base_url must be an http or https URL of a host and a path alone
config set username octavia:hunter2 | username must not contain a colon or control characters
config set password_command ./hunter2 | password_command must be a command that needs no shell and no current directory
--server-type oauth token reset --yes | OAuth 2.0 has no operations for accounts, resets and grants (--server-type oauth) | Run ´grantctl auth login --app´ as a client, and then ´grantctl token check´, ´token inspect´ or ´token revoke´. Revoking a refresh token ends the sign-in at most servers.
--server-type oauth token revoke-grant --yes | OAuth 2.0 has no operations for accounts, resets and grants (--server-type oauth) | Run ´grantctl auth login --app´ as a client, and then ´grantctl token check´, ´token inspect´ or ´token revoke´. Revoking a refresh token ends the sign-in at most servers.
--server-type oauth token report --yes | servers of type oauth do not accept token reports | Use --server-type github for github.com. The application's owner can run ´grantctl token revoke´.
--server-type oauth grant list | OAuth 2.0 has no operations for accounts, resets and grants (--server-type oauth) | Run ´grantctl auth login --app´ as a client, and then ´grantctl token check´, ´token inspect´ or ´token revoke´. Revoking a refresh token ends the sign-in at most servers.
authorization create --note n --to-command cat --output-file new.txt | --output-file and --to-command cannot be used together
--server-type oauth authorization run -- true | OAuth 2.0 has no operations for accounts, resets and grants (--server-type oauth) | Run ´grantctl auth login --app´ as a client, and then ´grantctl token check´, ´token inspect´ or ´token revoke´. Revoking a refresh token ends the sign-in at most servers.
token report --yes --server-type service | servers of type service do not accept token reports | Use --server-type github for github.com. The application's owner can run ´grantctl token revoke´.
authorization delete - --yes --password-stdin | standard input cannot contain both the IDs and the password
config set base_url http://x.test | http would send the credentials unencrypted to x.test | Use an https URL, or set GRANTCTL_ALLOW_HTTP=1 if you trust the network.
grant list --ca-cert nosuch.pem | ca_cert: cannot read nosuch.pem: no such file or directory
--server-type oauth auth login --store file | OAuth 2.0 has no operations for accounts, resets and grants (--server-type oauth) | Run ´grantctl auth login --app´ as a client, and then ´grantctl token check´, ´token inspect´ or ´token revoke´. Revoking a refresh token ends the sign-in at most servers.
token check abababababababababababababababab00000001 | there is no file (not shown: it may be a token) | Name a file that contains tokens. A token that was typed in its place is in the shell's history now.
recover end ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2 | there is no record (not shown: it may be a token) | The job may have ended. Run ´grantctl recover list´ to see what is left.`;

/** Where nobody listens: a request would be another failure. */
const environment = {
  GRANTCTL_BASE_URL: "http://127.0.0.1:1",
  GRANTCTL_USERNAME: "o",
  GRANTCTL_PASSWORD: "p",
};

test.each(rows.trim().split("\n"))("%s", async (row) => {
  const [typed = "", message, hint] = row.replaceAll("´", "`").split(" | ");
  const run = await runMain(typed.split(" "), { environment });
  const end = hint === undefined ? "" : `hint: ${hint}\n`;
  expect(run).toEqual({ code: 2, stdout: "", stderr: `grantctl: ${message}\n${end}` });
});

test.each([
  ["--password hunter2 grant list", /never a flag.*--password-stdin/],
  ["grant list --password=hunter2", /never a flag.*--password-stdin/],
  ["token check --client-secret hunter2", /never a flag.*--client-secret-stdin/],
  ["token revoke --token hunter2", /never a flag.*it\. Pass tokens in a file/],
  ["hunter2-0123456789abcdef", /unknown command/],
  ["grant Hunter_hunter", /unknown command/],
  ["grant list --hunter2", /unknown option/],
  ["grant list -zhunter", /unknown option/],
  ["grant list --zzz=hunter", /unknown option/],
  ["grant list --format hunter2", /--format must be one of/],
  ["grant list --limit hunter2\n'\u00a0is\u00a0invalid.\u00a0hunter2", /--limit must be/],
  ["grant list --client-id hunter2", /20 characters/],
  ["grant view 1 hunter2", /too many arguments/],
  ["grant list --quiet=hunter2", /unknown option/],
  ["completion hunter2'\u00a0is\u00a0invalid", /shell must be one of/],
])("%j is refused, and its value is not repeated", async (typed, says) => {
  const { code, stdout, stderr } = await runMain(
    typed.split(" ").map((word) => word.replaceAll("\u00a0", " ")),
  );
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/hunter/i);
});

const swallowed = "the word after --json was read as its list of fields";
const last = "Put --json last, or write --json=FIELDS.";

test.each([
  ["--json authz ls --limit 3", swallowed, last],
  ["grant --json view 5", swallowed, last],
  ["grant --json list", swallowed, last],
  ["recover show --json 1", swallowed, last],
  [
    "grant list --json id app",
    "too many arguments: 0 expected",
    "If they are fields, join them: --json id,name.",
  ],
  [
    "--json token authorization lst",
    "unknown command 'lst'",
    "You may have meant `grantctl authorization list`.",
  ],
  ["grant list --json __proto__", "unknown field '__proto__'", expect.stringMatching(/^The fields are id,/)],
])("%s: with --json, the error is an object", async (typed, message, hint: unknown) => {
  const { code, stdout, stderr } = await runMain(typed.split(" "));
  expect([code, stdout, JSON.parse(stderr)]).toMatchObject([
    2,
    "",
    { error: { class: "usage", message, hint } },
  ]);
});
