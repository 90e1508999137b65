// Any other address of the service, as typed and as seen: refused by an organization, approved, answered;
// and a script that is tested with the sandbox.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendTo } from "../sandbox/sandbox-client.ts";
import { writeScript } from "../support/binary.ts";
import { openShell, type Shell } from "../support/shell.ts";

/** Approves like a browser. */
async function approve(address: string): Promise<void> {
  const { origin, pathname, search } = new URL(address);
  const { status } = await sendTo(origin, "POST", `${pathname}${search}`, { headers: { Origin: origin } });
  expect(status).toBe(200);
}

/** Finds the line that contains a URL. */
function addressIn(text: string): string {
  return /^http:\/\/127\.0\.0\.1:\d+\/\S+$/m.exec(text)?.[0] ?? "";
}

describe("a personal token and an organization that wants it approved", () => {
  let shell: Shell;

  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());

  test("is rejected, approved, and answered", async () => {
    const made = await shell.run("grantctl authorization create --note 'my laptop' > token.txt");
    expect([made.code, made.stdout, made.stderr]).toEqual([0, "", ""]);

    const ask = "GRANTCTL_TOKEN=$(cat token.txt) grantctl api /orgs/lanternfish/members";
    const refused = await shell.run(ask);
    expect(refused.code).toBe(6);
    const body = JSON.parse(refused.stdout) as Record<string, string>;
    expect(Object.keys(body)).toEqual(expect.arrayContaining(["message", "documentation_url"]));
    const [message, hint, address, ...rest] = refused.stderr.split("\n");
    expect(message).toBe("grantctl: an organization requires approval of this token by single sign-on");
    expect(hint).toMatch(/^hint: .*\bbrowser\b/);
    expect(address).toBe(addressIn(refused.stderr));
    expect(rest).toEqual([""]);
    expect(refused.stderr).not.toContain(readFileSync(join(shell.folder, "token.txt"), "utf8").trim());

    await approve(address ?? "");

    const answered = await shell.run(`${ask} --jq '.[].login'`);
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    expect(answered.stdout).toMatch(/^(\S+\n)+$/);
  });
});

describe("api", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());

  test("the guide's script, which docs/blocks runs, fails if it is changed", async () => {
    const guide = readFileSync(new URL("../../docs/guides/sandbox.md", import.meta.url), "utf8");
    const [, script = ""] = /```sh\n(#!\/bin\/sh\n[^`]*grantctl api[^`]*)```/.exec(guide) ?? [];
    expect(script).toContain("--note ci");
    expect(script.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const file = join(shell.folder, "check.sh");
    const run = async (text: string): Promise<number | null> => {
      writeScript(file, text);
      const { code } = await shell.run("env -u GRANTCTL_BASE_URL grantctl sandbox run -- ./check.sh");
      return code;
    };
    expect(await run(script.replace("--note ci", "--note ''"))).not.toBe(0);
    expect(await run(script.replace('= "$GRANTCTL_USERNAME"', "= nobody"))).not.toBe(0);
  });
});
