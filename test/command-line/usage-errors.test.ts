// Messages for usage errors: suggest similar words if there are any, and never repeat a typed value.
import { expect, test } from "vitest";
import { createWholeProgram } from "../../src/program.ts";
import { runMain } from "../support/test-host.ts";

const list =
  "You may have meant `grantctl auth list`, `grantctl grant list`, `grantctl authorization list`, `grantctl recover list` or `grantctl config list`.";

const program = await createWholeProgram();

/** The hint with the verbs of a noun. */
function verbsOf(noun: string): string {
  const verbs = program.commands.find((command) => command.name() === noun)?.commands ?? [];
  const names = verbs.map((verb) => verb.name());
  return `The subcommands of \`grantctl ${noun}\` are ${names.slice(0, -1).join(", ")} and ${names.at(-1)}.`;
}

test.each([
  ["list", "unknown command 'list'", list],
  ["ls", "unknown command 'ls'", list],
  ["login", "unknown command 'login'", "You may have meant `grantctl auth login`."],
  [
    "revoke",
    "unknown command 'revoke'",
    "You may have meant `grantctl grant delete`, `grantctl authorization delete` or `grantctl token revoke`.",
  ],
  ["grnat list", "unknown command 'grnat'", "You may have meant `grantctl grant`."],
  ["lgoin", "unknown command 'lgoin'", "You may have meant `grantctl auth login`."],
  ["grant lsit", "unknown command 'lsit'", "You may have meant `grantctl grant list`."],
  [
    "grant reset",
    "unknown command 'reset'",
    `You may have meant \`grantctl token reset\`. ${verbsOf("grant")}`,
  ],
  ["grant show 1", "unknown command 'show'", "You may have meant `grantctl grant view`."],
  ["grants get 1", "unknown command 'get'", "You may have meant `grantctl grant view`."],
  ["authorization new", "unknown command 'new'", "You may have meant `grantctl authorization create`."],
  ["authz edit 1", "unknown command 'edit'", "You may have meant `grantctl authorization update`."],
  ["authz show list", "unknown command 'show'", "You may have meant `grantctl authorization view`."],
  ["grant remove 1", "unknown command 'remove'", "You may have meant `grantctl grant delete`."],
  ["config show", "unknown command 'show'", "You may have meant `grantctl config get`."],
  ["auth frobnicate", "unknown command 'frobnicate'", verbsOf("auth")],
  ["grant frobnicate", "unknown command 'frobnicate'", verbsOf("grant")],
  ["GRANT list", "unknown command", "You may have meant `grantctl grant`."],
  ["grant List", "unknown command", "You may have meant `grantctl grant list`."],
  ["authz Get_Or_Create", "unknown command", "You may have meant `grantctl authorization get-or-create`."],
  ["help exit_codes", "unknown command", "Run `grantctl help exit-codes`."],
  ["help grant View", "unknown command", "You may have meant `grantctl grant view`."],
  ["exit-codes", "unknown command 'exit-codes'", "Run `grantctl help exit-codes`."],
  ["help exit-code", "unknown command 'exit-code'", "You may have meant `grantctl help exit-codes`."],
  ["grant lsit --help", "unknown command 'lsit'", "You may have meant `grantctl grant list`."],
  ["-h bogus", "unknown command 'bogus'", "Run `grantctl --help` to list commands and help topics."],
  ["help grant lsit", "unknown command 'lsit'", "You may have meant `grantctl grant list`."],
  [
    "help nosuchthing",
    "unknown command 'nosuchthing'",
    "Run `grantctl --help` to list commands and help topics.",
  ],
  ["help grant list more", "unknown command 'more'", "Run `grantctl grant list --help` for usage."],
  ["help security list", "security is a help topic and takes no arguments", "Run `grantctl help security`."],
  ["version", "unknown command 'version'", "Run `grantctl --version`."],
  ["-V", "the version has no short flag", "Run `grantctl --version`."],
  [
    "authorization create -n ci",
    "unknown flag '-n'",
    "Run `grantctl authorization create --help` for usage.",
  ],
  ["authorization create --nots ci", "unknown flag '--nots'", "You may have meant --note."],
  [
    "authorization create --scope -n",
    "--note <text> is missing",
    "Run `grantctl authorization create --help` for usage.",
  ],
  ["help output", "unknown command 'output'", "Run `grantctl help formatting`."],
  ["completion", "missing argument: <shell>", "Use bash, zsh, fish or powershell."],
  [
    "whoami",
    "unknown command 'whoami'",
    "Run `grantctl auth status` to see the user name and the profile in use.",
  ],
  [
    "token list",
    "unknown command 'list'",
    "The server has no list of an application's tokens. Run `grantctl authorization list` for the tokens of the account.",
  ],
  [
    "token rotate",
    "unknown command 'rotate'",
    "Run `grantctl token reset` to replace a token with a new one.",
  ],
  [
    "auth token",
    "unknown command 'token'",
    "No command shows a stored secret. Run `grantctl auth status` to see where each comes from.",
  ],
  [
    "open",
    "unknown command 'open'",
    "No command opens a browser. Run `grantctl grant view` or `grantctl authorization view` to see URLs.",
  ],
  ["upgrade", "unknown command 'upgrade'", "Run `npm install --global grantctl@latest` to upgrade."],
  [
    "grant list --output json",
    "grantctl has no --output flag",
    "Use --json, or --format table, tsv, csv, json or ndjson.",
  ],
  [
    "grant list -o json",
    "grantctl has no --output flag",
    "Use --json, or --format table, tsv, csv, json or ndjson.",
  ],
  ["grant list --older 90d", "unknown flag '--older'", "You may have meant --older-than."],
  [
    "sandbox run sh -c true",
    "unknown flag '-c'",
    "Put -- in front of the command: `grantctl sandbox run -- CMD ARGS...`.",
  ],
  ["grant list --lmit 3", "unknown flag '--lmit'", "You may have meant --limit."],
  ["grant list --jason", "unknown flag '--jason'", "You may have meant --json."],
  ["token check -X POST", "unknown flag '-X'", "Only `grantctl api` has -X."],
  [
    "grant view 1 --add-scope x",
    "unknown flag '--add-scope'",
    "Only `grantctl authorization update` has --add-scope.",
  ],
  ["grant list --nonsense", "unknown flag '--nonsense'", "Run `grantctl grant list --help` for usage."],
  ["grant list --quiet=yes", "--quiet takes no value", "Use `grantctl grant list --quiet`."],
  [
    "auth login --with-token=abc",
    "--with-token takes no value",
    "Pass it on standard input: --with-token < FILE.",
  ],
  [
    "grant list --password-stdin=",
    "--password-stdin takes no value",
    "Pass it on standard input: --password-stdin < FILE.",
  ],
  [
    "grant list --with-token=abc",
    "unknown flag '--with-token'",
    "Only `grantctl auth login` has --with-token.",
  ],
  [
    "grant list x",
    "too many arguments: grantctl grant list takes none",
    "Run `grantctl grant list --help` for usage.",
  ],
  [
    "grant view 1 2",
    "too many arguments: grantctl grant view takes only <id>",
    "Run `grantctl grant view --help` for usage.",
  ],
  [
    "completion tcsh",
    "<shell> must be one of bash, zsh, fish or powershell",
    "Run `grantctl completion --help` for usage.",
  ],
  [
    "grant list --format x",
    "--format must be one of table, tsv, csv, json or ndjson",
    "Run `grantctl grant list --help` for usage.",
  ],
  [
    "grant list --limit 2 -q .[].id",
    "too many arguments: grantctl grant list takes none",
    "Use --jq for a jq program; -q is --quiet.",
  ],
  [
    "api user -q .login",
    "too many arguments: grantctl api takes only <path>",
    "Use --jq for a jq program; -q is --quiet.",
  ],
  [
    "grant list -q x",
    "too many arguments: grantctl grant list takes none",
    "Run `grantctl grant list --help` for usage.",
  ],
  ["grant list -L 30", "-L is not a flag of grantctl", "Use --limit N."],
  [
    "grant list --limit x",
    "--limit: must be a positive integer",
    "Run `grantctl grant list --help` for usage.",
  ],
  ["grant list --limit", "--limit <n> needs a value", "Run `grantctl grant list --help` for usage."],
  ["api /x -H", "--header <header> needs a value", "Run `grantctl api --help` for usage."],
  [
    "authorization create --note x --fingerprint a --machine-fingerprint",
    "--machine-fingerprint and --fingerprint cannot be used together",
    "Run `grantctl authorization create --help` for usage.",
  ],
  [
    "authorization create",
    "--note <text> is missing",
    "Run `grantctl authorization create --help` for usage.",
  ],
  ["grant view", "missing argument: <id>", "Run `grantctl grant list` to see the IDs."],
])("%s", async (typed, message, hint) => {
  const run = await runMain(typed.split(" "));
  expect(run).toEqual({ code: 2, stdout: "", stderr: `grantctl: ${message}\nhint: ${hint}\n` });
});

const secret = "hunter2-0123456789abcdef";

test.each([
  [["--password", secret, "grant", "list"], "--password-stdin"],
  [["grant", "list", `--password=${secret}`], "--password-stdin"],
  [["grant", "list", `-p${secret}`], "--password-stdin"],
  [["-u", `octavia:${secret}`, "grant", "list"], "--username"],
  [["token", "check", "--client-secret", secret], "--client-secret-stdin"],
  [["api", "/user", "--token", secret], "GRANTCTL_TOKEN"],
  [["token", "revoke", "--token", secret], "grantctl token revoke < FILE"],
])("rejects a secret in %j with a hint at a safe way, without repeating it", async (words, place) => {
  const run = await runMain(words);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/^grantctl: a secret is never a flag[^\n]*\nhint: [^\n]+\n$/);
  expect(run.stderr).toContain(place);
  expect(run.stderr).not.toContain("hunter2");
});

test.each([
  [[secret]],
  [["grant", secret]],
  [["help", secret]],
  [["grant", "list", `--${secret}`]],
  [["grant", "list", `-z${secret}`]],
  [["grant", "list", `--zzz=${secret}`]],
  [["grant", "list", "--format", secret]],
  [["grant", "list", "--limit", secret]],
  [["grant", "list", "--limit", `${secret}\n' is invalid. ${secret}`]],
  [["grant", "view", "1", secret]],
  [["token", "check", secret]],
  [["grant", "Hunter_hunter"]],
  [["grant", "list", "--quiet=hunter2"]],
  [["auth", "login", `--with-token=${secret}`]],
  [["completion", secret]],
  [["completion", `${secret}' is invalid for argument 'hunter2'. hunter2`]],
])("does not repeat the value in %j", async (words) => {
  const run = await runMain(words);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(run.stderr).not.toMatch(/hunter/i);
});

test.each(["--last-used", "--unused-for"])(
  "rejects %s, as the server does not report the last use",
  async (flag) => {
    const { code, stderr } = await runMain(["authorization", "list", flag, "90d"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the server does not report when a token was last used");
  },
);

test("suggests --ca-cert for a flag that would disable certificate checks", async () => {
  const { code, stderr } = await runMain(["-k", "grant", "list"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/always verified.*\nhint: .*--ca-cert/);
});

test.each([
  ["--json grant list", "grant", "grantctl grant list --json"],
  ["--json authz ls --limit 3", "authz", "grantctl authorization list --json"],
  ["grant --json view 5", "view", "grantctl grant view --json"],
])("%s: reports that --json took the command as its fields", async (line, word, meant) => {
  const { code, stdout, stderr } = await runMain(line.split(" "));
  expect([code, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      message: `'${word}' was read as the field list of --json, so no command is left`,
      hint: `Put --json after the command: \`${meant}\`.`,
    },
  });
});

test("accepts field names that are also command names", async () => {
  const { stderr } = await runMain(["--json", "token", "authorization", "lst"]);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: "unknown command 'lst'" } });
});

test("prints usage errors as an object with --json", async () => {
  const { code, stderr } = await runMain(["grant", "list", "--json", "--lmit", "3"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { class: "usage", hint: "You may have meant --limit." },
  });
});

test("reports that --json took the argument after it as its fields", async () => {
  const { code, stderr } = await runMain(["grant", "view", "--json", "1"]);
  expect([code, JSON.parse(stderr)]).toMatchObject([
    2,
    {
      error: {
        message: "the word after --json was read as its field list, so <id> is missing",
        hint: "Put --json after the argument: `grantctl grant view <id> --json`.",
      },
    },
  ]);
});
