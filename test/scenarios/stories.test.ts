// Three typical sessions: an account owner cleans up, a script requests a token, an application's owner handles a leak.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";

describe("an account owner cleans up", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell("--grants", "3", "--authorizations", "6");
  });
  afterAll(() => shell.close());

  test("lists grants, one per line, with nothing on standard error", async () => {
    const { code, stdout, stderr } = await shell.run("grantctl grant list");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^(\d+\t[^\t\n]+\t[^\t\n]*\t\d{4}-[^\t\n]+Z\t\d{4}-[^\t\n]+Z\n){3}$/);
  });

  test("previews a deletion with --dry-run", async () => {
    const { code, stdout, stderr } = await shell.run(
      "grantctl grant list --json id | grantctl grant delete - --dry-run",
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^would delete 3 grants \(.*"Tidewatch CI"\) at http:\S+\n$/);
    expect(stdout).toMatch(/^(would-delete\t\d+\n){3}$/);
    const { stdout: after } = await shell.run("grantctl grant list --json id");
    expect(JSON.parse(after)).toHaveLength(3);
  });

  test.each([
    ["90d", /^(would-delete\t\d+\n){3}$/, /^would delete 3 grants \(.*"Tidewatch CI"\) at http:\S+\n$/],
    ["10y", /^$/, /^no grant to delete\n$/],
  ])("sees what would be deleted of the grants older than %s", async (age, report, note) => {
    const { code, stdout, stderr } = await shell.run(
      `grantctl grant list --older-than ${age} --json id --jq '.[].id' | grantctl grant delete - --dry-run`,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(note);
    expect(stdout).toMatch(report);
  });

  test("cannot delete without a terminal to confirm on", async () => {
    const { code, stdout, stderr } = await shell.run(
      "grantctl grant list --json id | grantctl grant delete -",
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^grantctl: .*--yes.*\nhint: .*\n$/);
    const { stdout: after } = await shell.run("grantctl grant list --json id");
    expect(JSON.parse(after)).toHaveLength(3);
  });

  test("deletes grants with all their tokens", async () => {
    const { code, stdout } = await shell.run("grantctl grant list --json id | grantctl grant delete - --yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(deleted\t\d+\n){3}$/);
    const { stdout: grants, stderr } = await shell.run("grantctl grant list");
    expect([grants, stderr]).toEqual(["", ""]);
    const { stdout: left } = await shell.run("grantctl authorization list --json id,app.client_id");
    expect(JSON.parse(left)).toHaveLength(2);
  });

  test("deletes an already deleted grant: exits with 3 and names both possible causes", async () => {
    const { code, stdout, stderr } = await shell.run("grantctl grant delete 1 --yes");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(
      /^grantctl: grant 1: not found, or the credentials are wrong.*\nhint: .*`grantctl auth status`.*\n/,
    );
  });
});

describe("a script requests a token", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());
  const line =
    'TOKEN=$(grantctl authorization create --note "ci $(hostname)" --scope repo --machine-fingerprint) || exit; echo "got <$TOKEN>"';

  test("gets only the token, silently", async () => {
    const { code, stdout, stderr } = await shell.run(line);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^got <[0-9a-f]{40}>\n$/);
  });

  test("gets an error, not an empty token, if the note is already used", async () => {
    const { code, stdout, stderr } = await shell.run(line);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^grantctl: the note is already in use by authorization \d+\n/);
  });

  test("gets an error, not an empty token, if the password is wrong", async () => {
    const { code, stdout } = await shell.run(line, {
      environment: { GRANTCTL_PASSWORD: "wrong" },
    });
    expect([code, stdout]).toEqual([3, ""]);
  });

  test("get-or-create returns a value once, then exits with 10 and no output", async () => {
    const words = "grantctl authorization get-or-create --machine-fingerprint --scope repo";
    const first = await shell.run(words);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/^[0-9a-f]{40}\n$/);
    const second = await shell.run(words);
    expect([second.code, second.stdout]).toEqual([10, ""]);
    const third = await shell.run(`${words} --allow-existing --json token`);
    expect([third.code, third.stdout]).toEqual([0, '{"token":""}\n']);
  });
});

describe("an application's owner handles a leak", () => {
  let shell: Shell;
  let leaked: string;
  beforeAll(async () => {
    shell = await openShell("--grants", "1", "--authorizations", "6");
    leaked = shell.sandbox.description.tokens.map(({ token }) => `${token}\r\n`).join("");
  });
  afterAll(() => shell.close());

  test("finds the active tokens", async () => {
    const { code, stdout } = await shell.run("grantctl token check", {
      input: `\uFEFF${leaked}${"0".repeat(40)}\n`,
    });
    expect(code).toBe(9);
    expect(stdout).toMatch(/^(live\t[0-9a-f]{8}\n){4}not-found\t0{8}\n$/);
  });

  test("resets each token, in order; the old values are revoked", async () => {
    const reset = await shell.run("grantctl token reset --yes > new.txt", { input: leaked });
    expect([reset.code, reset.stdout]).toEqual([0, ""]);
    const { stdout } = await shell.run("cat new.txt");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.map((line) => line["token_last_eight_before"])).toEqual(
      shell.sandbox.description.tokens.map((token) => token.token_last_eight),
    );
    expect(new Set(lines.map((line) => line["token"])).size).toBe(4);
    const old = await shell.run("grantctl token check", { input: leaked });
    expect([old.code, old.stdout.match(/valid/g)]).toEqual([9, null]);
    const fresh = await shell.run("grantctl token check < new.txt");
    expect(fresh.code).toBe(0);
    expect(fresh.stdout).toMatch(/^(live\t[0-9a-f]{8}\n){4}$/);
  });

  test("revokes one token, and then a grant with all remaining tokens", async () => {
    const first = await shell.run("head -1 new.txt | grantctl token revoke --yes");
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toMatch(/^revoked\t[0-9a-f]{8}\n$/);
    const grant = await shell.run("sed -n 2p new.txt | grantctl token revoke-grant --yes");
    expect(grant).toMatchObject({ code: 0 });
    const left = await shell.run("grantctl token check < new.txt");
    expect(left.code).toBe(9);
    expect(left.stdout).not.toContain("live\t");
    const { stdout } = await shell.run("grantctl grant list");
    expect(stdout).toBe("");
  });
});
