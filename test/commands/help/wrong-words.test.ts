// What is said to words that mean nothing: what was meant, where it belongs, and never a value that was typed.
import { expect, test } from "vitest";
import { runMain } from "../../support/test-host.ts";

const list =
  "grantctl grant list, grantctl authorization list, grantctl recover list or grantctl config list";

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
  ["grant reset", "unknown command 'reset'", "grantctl token reset"],
  ["exit-codes", "unknown command 'exit-codes'", "grantctl help exit-codes"],
  ["help exit-code", "unknown command 'exit-code'", "did you mean grantctl help exit-codes"],
  ["help grant lsit", "unknown command 'lsit'", "did you mean grantctl grant list"],
  ["help nosuchthing", "unknown command 'nosuchthing'", "see grantctl --help"],
  ["help security list", "security is a topic, and nothing follows it", "grantctl help security"],
  ["version", "unknown command 'version'", "grantctl --version"],
  ["grant list --lmit 3", "unknown flag '--lmit'", "did you mean --limit"],
  ["grant list --jason", "unknown flag '--jason'", "did you mean --json"],
  ["token check -X POST", "unknown flag '-X'", "-X belongs to grantctl api"],
  [
    "grant view 1 --add-scope x",
    "unknown flag '--add-scope'",
    "--add-scope belongs to grantctl authorization update",
  ],
  ["grant list --nonsense", "unknown flag '--nonsense'", "see grantctl grant list --help"],
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
])("%j is not repeated", async (words) => {
  const run = await runMain(words);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(run.stderr).not.toContain("hunter2");
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
      message: `--json took '${word}' for a list of fields, so that no command is left`,
      hint: `write it behind the command: ${meant}`,
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
