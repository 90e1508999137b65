// The message for unknown words: the nearest ones, if they fit, and never a typed value.
import { expect, test } from "vitest";
import { createWholeProgram } from "../../src/program.ts";
import { runMain } from "../support/test-host.ts";

const list =
  "grantctl auth list, grantctl grant list, grantctl authorization list, grantctl recover list or grantctl config list";

const program = await createWholeProgram();

/** As in `grantctl auth has login, logout and status`. */
function verbsOf(noun: string): string {
  const verbs = program.commands.find((command) => command.name() === noun)?.commands ?? [];
  const names = verbs.map((verb) => verb.name());
  return `grantctl ${noun} has ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

test.each([
  ["list", "unknown command 'list'", list],
  ["ls", "unknown command 'ls'", list],
  ["login", "unknown command 'login'", "grantctl auth login"],
  [
    "revoke",
    "unknown command 'revoke'",
    "grantctl grant delete, grantctl authorization delete or grantctl token revoke",
  ],
  ["grnat list", "unknown command 'grnat'", "did you mean grantctl grant"],
  ["lgoin", "unknown command 'lgoin'", "did you mean grantctl auth login"],
  ["grant lsit", "unknown command 'lsit'", "did you mean grantctl grant list"],
  ["grant reset", "unknown command 'reset'", `grantctl token reset; ${verbsOf("grant")}`],
  ["grant show 1", "unknown command 'show'", "did you mean grantctl grant view"],
  ["grants get 1", "unknown command 'get'", "did you mean grantctl grant view"],
  ["authorization new", "unknown command 'new'", "did you mean grantctl authorization create"],
  ["authz edit 1", "unknown command 'edit'", "did you mean grantctl authorization update"],
  ["authz show list", "unknown command 'show'", "did you mean grantctl authorization view"],
  ["grant remove 1", "unknown command 'remove'", "did you mean grantctl grant delete"],
  ["config show", "unknown command 'show'", "did you mean grantctl config get"],
  ["auth frobnicate", "unknown command 'frobnicate'", verbsOf("auth")],
  ["grant frobnicate", "unknown command 'frobnicate'", verbsOf("grant")],
  ["GRANT list", "unknown command", "did you mean grantctl grant"],
  ["grant List", "unknown command", "did you mean grantctl grant list"],
  ["authz Get_Or_Create", "unknown command", "did you mean grantctl authorization get-or-create"],
  ["help exit_codes", "unknown command", "grantctl help exit-codes"],
  ["help grant View", "unknown command", "did you mean grantctl grant view"],
  ["exit-codes", "unknown command 'exit-codes'", "grantctl help exit-codes"],
  ["help exit-code", "unknown command 'exit-code'", "did you mean grantctl help exit-codes"],
  ["help grant lsit", "unknown command 'lsit'", "did you mean grantctl grant list"],
  ["help nosuchthing", "unknown command 'nosuchthing'", "see grantctl --help"],
  ["help grant list more", "unknown command 'more'", "see grantctl grant list --help"],
  ["help security list", "security is a help topic and takes no arguments", "Run `grantctl help security`."],
  ["version", "unknown command 'version'", "grantctl --version"],
  ["-V", "the version has no short flag", "grantctl --version"],
  ["whoami", "unknown command 'whoami'", "grantctl auth status"],
  [
    "token list",
    "unknown command 'list'",
    "the service lists no application's tokens; those of the account: grantctl authorization list",
  ],
  ["token rotate", "unknown command 'rotate'", "grantctl token reset gives a token a new value"],
  [
    "auth token",
    "unknown command 'token'",
    "no command shows a stored secret; where each comes from: grantctl auth status",
  ],
  [
    "open",
    "unknown command 'open'",
    "nothing opens a browser: grantctl grant view and grantctl authorization view show addresses",
  ],
  ["upgrade", "unknown command 'upgrade'", "npm installs newer ones: npm install --global grantctl@latest"],
  [
    "grant list --output json",
    "output has no flag of this name",
    "--json, or --format table, tsv, csv, json or ndjson",
  ],
  [
    "grant list -o json",
    "output has no flag of this name",
    "--json, or --format table, tsv, csv, json or ndjson",
  ],
  ["grant list --older 90d", "unknown flag '--older'", "did you mean --older-than"],
  [
    "sandbox run sh -c true",
    "unknown flag '-c'",
    "put -- in front of the command to run: grantctl sandbox run -- CMD ARGS...",
  ],
  ["grant list --lmit 3", "unknown flag '--lmit'", "did you mean --limit"],
  ["grant list --jason", "unknown flag '--jason'", "did you mean --json"],
  ["token check -X POST", "unknown flag '-X'", "-X belongs to grantctl api"],
  [
    "grant view 1 --add-scope x",
    "unknown flag '--add-scope'",
    "--add-scope belongs to grantctl authorization update",
  ],
  ["grant list --nonsense", "unknown flag '--nonsense'", "see grantctl grant list --help"],
  ["--color=always grant list", "--color takes no value", "--color or --no-color"],
  ["grant list --quiet=yes", "--quiet takes no value", "grantctl grant list --quiet"],
  [
    "auth login --with-token=abc",
    "--with-token takes no value",
    "it is read from standard input: --with-token < FILE",
  ],
  [
    "grant list --password-stdin=",
    "--password-stdin takes no value",
    "it is read from standard input: --password-stdin < FILE",
  ],
  [
    "grant list --with-token=abc",
    "unknown flag '--with-token'",
    "--with-token belongs to grantctl auth login",
  ],
  ["grant list x", "too many arguments: grantctl grant list takes none", "see grantctl grant list --help"],
  [
    "grant view 1 2",
    "too many arguments: grantctl grant view takes only <id>",
    "see grantctl grant view --help",
  ],
  ["completion tcsh", "<shell> is one of bash, zsh, fish or powershell", "see grantctl completion --help"],
  [
    "grant list --format x",
    "--format is one of table, tsv, csv, json or ndjson",
    "see grantctl grant list --help",
  ],
  [
    "grant list --limit 2 -q .[].id",
    "too many arguments: grantctl grant list takes none",
    "-q is --quiet here, and jq's program follows --jq",
  ],
  [
    "api user -q .login",
    "too many arguments: grantctl api takes only <path>",
    "-q is --quiet here, and jq's program follows --jq",
  ],
  ["grant list -q x", "too many arguments: grantctl grant list takes none", "see grantctl grant list --help"],
  ["grant list -L 30", "the limit of a list has no short flag", "--limit N"],
  ["grant list --limit x", "--limit: it must be a whole number", "see grantctl grant list --help"],
  ["grant list --limit", "--limit <n>: its value is missing", "see grantctl grant list --help"],
  ["grant list -H", "--header <header>: its value is missing", "see grantctl grant list --help"],
  [
    "authorization create --note x --fingerprint a --machine-fingerprint",
    "--machine-fingerprint and --fingerprint do not go together",
    "see grantctl authorization create --help",
  ],
  ["authorization create", "--note <text> is missing", "see grantctl authorization create --help"],
  ["grant view", "<id> is missing", "see grantctl grant view --help"],
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
])("a secret in %j is refused, told where it goes, and not repeated", async (words, place) => {
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
])("%j is not repeated", async (words) => {
  const run = await runMain(words);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(run.stderr).not.toMatch(/hunter/i);
});

test.each(["--last-used", "--unused-for"])(
  "%s is answered with what the service does not report",
  async (flag) => {
    const { code, stderr } = await runMain(["authorization", "list", flag, "90d"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the service does not report when a token was last used");
  },
);

test("no flag turns certificate checks off, and there is one for an authority of one's own", async () => {
  const { code, stderr } = await runMain(["-k", "grant", "list"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/always verified.*\nhint: .*--ca-cert/);
});

test.each([
  ["--json grant list", "grant", "grantctl grant list --json"],
  ["--json authz ls --limit 3", "authz", "grantctl authorization list --json"],
  ["grant --json view 5", "view", "grantctl grant view --json"],
])("%s: --json has taken the command", async (line, word, meant) => {
  const { code, stdout, stderr } = await runMain(line.split(" "));
  expect([code, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      message: `--json took '${word}' for a list of fields, so no command is left`,
      hint: `write it after the command: ${meant}`,
    },
  });
});

test("fields that are named like a command are fields", async () => {
  const { stderr } = await runMain(["--json", "token", "authorization", "lst"]);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: "unknown command 'lst'" } });
});

test("with --json it is an object like every other error", async () => {
  const { code, stderr } = await runMain(["grant", "list", "--json", "--lmit", "3"]);
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toMatchObject({ error: { class: "usage", hint: "did you mean --limit" } });
});

test("--json in front of an argument takes it, and that is said", async () => {
  const { code, stderr } = await runMain(["grant", "view", "--json", "1"]);
  expect([code, JSON.parse(stderr)]).toMatchObject([
    2,
    {
      error: {
        message: "--json took the word after it for a list of fields, so <id> is missing",
        hint: "write it after the argument: grantctl grant view <id> --json",
      },
    },
  ]);
});
