// `api` and `graphql` in a shell: a request that an organization rejects until it is approved in a browser, with and
// without --wait; an invalid query; and a script that is tested with the sandbox.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formsOf } from "../sandbox/page-client.ts";
import { sendTo } from "../sandbox/sandbox-client.ts";
import { findBrowser, startBrowser, type Browser } from "../support/browser.ts";
import { program } from "../support/binary.ts";
import { openShell, type Shell } from "../support/shell.ts";
import { inFull } from "../support/soak.ts";

const browserProgram = findBrowser();

/** Approves like a browser without scripts, by sending the page's form. */
async function approveByForm(address: string): Promise<void> {
  const { origin, pathname, search } = new URL(address);
  const page = await sendTo(origin, "GET", `${pathname}${search}`, {
    headers: { Accept: "text/html", "Sec-Fetch-Site": "none" },
  });
  const [form] = formsOf(page);
  const reply = await sendTo(origin, "POST", form?.action ?? "", {
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: origin,
      "Sec-Fetch-Site": "same-origin",
    },
    body: new URLSearchParams({ ...form?.fields, decision: "approve" }).toString(),
  });
  expect(reply.text).toContain("Approved");
}

/** Approves in a browser, with a click. */
async function approveByClick(browser: Browser, address: string): Promise<void> {
  const page = await browser.newPage();
  expect(await page.open(address)).toBe(200);
  await page.click("button[value=approve]");
  expect(await page.read("document.querySelector('h1').innerText")).toBe("Approved");
}

/** Finds the line that contains a URL. */
function addressIn(text: string): string {
  return /^http:\/\/127\.0\.0\.1:\d+\/\S+$/m.exec(text)?.[0] ?? "";
}

describe.each([
  ["the form's own request", false],
  ["Chromium (skipped if not installed)", true],
])("a personal token that an organization must approve, by %s", (_, isInBrowser) => {
  let shell: Shell;
  let browser: Browser | null = null;
  const isSkipped = isInBrowser && browserProgram === null;

  beforeAll(async () => {
    if (isSkipped) return;
    shell = await openShell();
    if (isInBrowser) browser = await startBrowser(browserProgram ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    if (!isSkipped) await shell.close();
  });

  const approve = (address: string): Promise<void> =>
    browser === null ? approveByForm(address) : approveByClick(browser, address);

  test.skipIf(isSkipped)("is rejected, then approved, then accepted", async () => {
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

  // One variant suffices: waiting does not depend on the method of approval.
  if (isInBrowser && inFull(true, false)) return;
  test.skipIf(isSkipped)("is accepted with --wait after the approval", { tags: "soak" }, async () => {
    await shell.run("grantctl authorization create --note 'my desktop' > other.txt");
    const token = readFileSync(join(shell.folder, "other.txt"), "utf8").trim();
    const child = spawn(
      process.execPath,
      [program, "api", "/orgs/lanternfish/members", "--wait", "--jq", "length > 0"],
      {
        env: { ...shell.environment, GRANTCTL_TOKEN: token },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const told = new Promise<void>((resolve) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
        if (stderr.includes("Ctrl-C")) resolve();
      });
    });
    const ended = once(child, "close");
    await told;
    await approve(addressIn(stderr));
    expect(await ended).toEqual([0, null]);
    expect(stdout).toBe("true\n");
  });
});

describe("api and graphql", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());

  test("Ctrl-C ends --wait immediately, without output", async () => {
    await shell.run("grantctl authorization create --note waiting > token.txt");
    const token = readFileSync(join(shell.folder, "token.txt"), "utf8").trim();
    const child = spawn(process.execPath, [program, "api", "/orgs/lanternfish/members", "--wait"], {
      env: { ...shell.environment, GRANTCTL_TOKEN: token },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const ended = once(child, "close");
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("Ctrl-C")) child.kill("SIGINT");
    });
    expect(await ended).toEqual([null, "SIGINT"]);
    expect(stdout).toBe("");
  });

  test("an invalid query exits with 1 and shows the line and position", async () => {
    const { code, stdout, stderr } = await shell.run("grantctl graphql '{ viewer { logn } }'");
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { data: null, errors: [{}] }]);
    const [message, line, mark, ...rest] = stderr.split("\n");
    expect(message).toMatch(/^grantctl: Cannot query field "logn" on type "\w+"\. .*\(1:12\)$/);
    expect(line).toBe("  { viewer { logn } }");
    expect(mark).toBe("             ^");
    expect(rest).toEqual([""]);
  });

  test("the guide's script passes, and fails if it is changed", async () => {
    const guide = readFileSync(new URL("../../docs/guides/sandbox.md", import.meta.url), "utf8");
    const [, script = ""] = /```sh\n(#!\/bin\/sh\n[^`]*grantctl api[^`]*)```/.exec(guide) ?? [];
    expect(script).toContain("--note ci");
    expect(script.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const file = join(shell.folder, "check.sh");
    const run = async (text: string): Promise<number | null> => {
      writeFileSync(file, text);
      chmodSync(file, 0o755);
      const { code } = await shell.run("env -u GRANTCTL_BASE_URL grantctl sandbox run -- ./check.sh");
      return code;
    };
    expect(await run(script)).toBe(0);
    expect(await run(script.replace("--note ci", "--note ''"))).not.toBe(0);
    expect(await run(script.replace('= "$GRANTCTL_USERNAME"', "= nobody"))).not.toBe(0);
  });
});
