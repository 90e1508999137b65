// Usage errors: what is suggested for a word or flag that grantctl does not know, and that a typed value is never repeated.
// The messages of commands are in test/scripts/settings/usage-errors.txt.
import { expect, test } from "vitest";
import { runMain } from "../support/test-host.ts";

/** What is typed, the message, and the hint. */
const rows = String.raw`
login | unknown command 'login' | You may have meant ´grantctl auth login´.
revoke | unknown command 'revoke' | You may have meant ´grantctl grant delete´, ´grantctl authorization delete´ or ´grantctl token revoke´.
lgoin | unknown command 'lgoin' | You may have meant ´grantctl auth login´.
grant reset | unknown command 'reset' | You may have meant ´grantctl token reset´. The subcommands of ´grantctl grant´ are list, view and delete.
grants get 1 | unknown command 'get' | You may have meant ´grantctl grant view´.
authorization new | unknown command 'new' | You may have meant ´grantctl authorization create´.
authz show list | unknown command 'show' | You may have meant ´grantctl authorization view´.
grant frobnicate | unknown command 'frobnicate' | The subcommands of ´grantctl grant´ are list, view and delete.
GRANT list | unknown command | You may have meant ´grantctl grant´.
authz Get_Or_Create | unknown command | You may have meant ´grantctl authorization get-or-create´.
help exit_codes | unknown command | Run ´grantctl help exit-codes´.
exit-codes | unknown command 'exit-codes' | Run ´grantctl help exit-codes´.
help exit-code | unknown command 'exit-code' | You may have meant ´grantctl help exit-codes´.
grant lsit --help | unknown command 'lsit' | You may have meant ´grantctl grant list´.
-h bogus | unknown command 'bogus' | Run ´grantctl --help´ to list commands and help topics.
help grant lsit | unknown command 'lsit' | You may have meant ´grantctl grant list´.
help grant list more | unknown command 'more' | Run ´grantctl grant list --help´ for usage.
help security list | security is a help topic and takes no arguments | Run ´grantctl help security´.
help output | unknown command 'output' | Run ´grantctl help formatting´.
version | unknown command 'version' | Run ´grantctl --version´.
-V | the version has no short flag | Run ´grantctl --version´.
whoami | unknown command 'whoami' | Run ´grantctl auth status´ to see the user name and the profile in use.
token list | unknown command 'list' | The server has no list of an application's tokens. Run ´grantctl authorization list´ for the tokens of the account.
token rotate | unknown command 'rotate' | Run ´grantctl token reset´ to replace a token with a new one.
auth token | unknown command 'token' | No command shows a stored secret. Run ´grantctl auth status´ to see where each comes from.
open | unknown command 'open' | No command opens a browser. Run ´grantctl grant view´ or ´grantctl authorization view´ to see URLs.
upgrade | unknown command 'upgrade' | Run ´npm install --global grantctl@latest´ to upgrade.
completion | missing argument: <shell> | Use bash, zsh, fish or powershell.
authorization create -n ci | unknown flag '-n' | Run ´grantctl authorization create --help´ for usage.
authorization create --nots ci | unknown flag '--nots' | You may have meant --note.
authorization create --scope -n | --note <text> is missing | Run ´grantctl authorization create --help´ for usage.
grant list -o json | grantctl has no --output flag | Use --json, or --format table, tsv, csv, json or ndjson.
grant list --older 90d | unknown flag '--older' | You may have meant --older-than.
sandbox run sh -c true | unknown flag '-c' | Put -- in front of the command: ´grantctl sandbox run -- CMD ARGS...´.
token check -X POST | unknown flag '-X' | Only ´grantctl api´ has -X.
grant list --nonsense | unknown flag '--nonsense' | Run ´grantctl grant list --help´ for usage.
grant list --quiet=yes | --quiet takes no value | Use ´grantctl grant list --quiet´.
auth login --with-token=abc | --with-token takes no value | Pass it on standard input: --with-token < FILE.
grant list --with-token=abc | unknown flag '--with-token' | Only ´grantctl auth login´ has --with-token.
grant view 1 2 | too many arguments: grantctl grant view takes only <id> | Run ´grantctl grant view --help´ for usage.
api user -q .login | too many arguments: grantctl api takes only <path> | Use --jq for a jq program; -q is --quiet.
grant list -q x | too many arguments: grantctl grant list takes none | Run ´grantctl grant list --help´ for usage.
grant list -L 30 | -L is not a flag of grantctl | Use --limit N.
api /x -H | --header <header> needs a value | Run ´grantctl api --help´ for usage.
grant list --limit 1.5 | --limit: must be a positive integer | Run ´grantctl grant list --help´ for usage.
grant list --timeout 1e3 | --timeout: must be a number of seconds, more than 0 and at most 86400 | Run ´grantctl grant list --help´ for usage.`;

test.each(rows.trim().split("\n"))("%s", async (row) => {
  const [typed = "", message, hint] = row.replaceAll("´", "`").split(" | ");
  const run = await runMain(typed.split(" "));
  expect(run).toEqual({ code: 2, stdout: "", stderr: `grantctl: ${message}\nhint: ${hint}\n` });
});

test.each([
  ["--password hunter2 grant list", /a secret is never a flag.*--password-stdin/s],
  ["grant list --password=hunter2", /a secret is never a flag.*--password-stdin/s],
  ["grant list -phunter2", /a secret is never a flag.*--password-stdin/s],
  ["-u octavia:hunter2 grant list", /a secret is never a flag.*--username/s],
  ["token check --client-secret hunter2", /a secret is never a flag.*--client-secret-stdin/s],
  ["api /user --token hunter2", /a secret is never a flag.*GRANTCTL_TOKEN/s],
  ["token revoke --token hunter2", /a secret is never a flag.*grantctl token revoke < FILE/s],
  ["-k grant list", /always verified.*--ca-cert/s],
  ["authorization list --unused-for 90d", /does not report when a token was last used/],
  ["hunter2-0123456789abcdef", /unknown command/],
  ["grant Hunter_hunter", /unknown command/],
  ["grant list --hunter2", /unknown flag/],
  ["grant list -zhunter2", /unknown flag/],
  ["grant list --zzz=hunter2", /unknown flag/],
  ["grant list --format hunter2", /--format must be/],
  ["grant list --limit hunter2\n'\u00a0is\u00a0invalid.\u00a0hunter2", /--limit: must be/],
  ["grant list --client-id hunter2", /20 characters/],
  ["grant view 1 hunter2", /too many arguments/],
  ["grant list --quiet=hunter2", /takes no value/],
  ["completion hunter2'\u00a0is\u00a0invalid", /must be one of/],
])("%j is refused, and its value is not repeated", async (typed, says) => {
  const { code, stdout, stderr } = await runMain(
    typed.split(" ").map((word) => word.replaceAll("\u00a0", " ")),
  );
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/hunter/i);
});

const lost = (word: string): string =>
  `'${word}' was read as the field list of --json, so no command is left`;

test.each([
  [
    "--json authz ls --limit 3",
    lost("authz"),
    "Put --json after the command: `grantctl authorization list --json`.",
  ],
  ["grant --json view 5", lost("view"), "Put --json after the command: `grantctl grant view --json`."],
  [
    "grant view --json 1",
    "the word after --json was read as its field list, so <id> is missing",
    "Put --json after the argument: `grantctl grant view <id> --json`.",
  ],
  ["--json token authorization lst", "unknown command 'lst'", expect.any(String)],
  [
    "grant list --json ,",
    "the field list of --json is empty",
    expect.stringMatching(/\bid\b.*\bapp\.name\b/),
  ],
  ["grant list --json __proto__", "unknown field: __proto__", expect.stringMatching(/\bid\b.*\bapp\.name\b/)],
])("%s: with --json, the error is an object", async (typed, message, hint: unknown) => {
  const { code, stdout, stderr } = await runMain(typed.split(" "));
  expect([code, stdout, JSON.parse(stderr)]).toMatchObject([
    2,
    "",
    { error: { class: "usage", message, hint } },
  ]);
});
