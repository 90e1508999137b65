// The pages in a real browser: mouse, keyboard only, attacks from a foreign page, and layout. Skipped if Chromium is
// not installed. Screenshots are saved if SCREENSHOTS names a folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findBrowser, startBrowser, type Browser, type BrowserPage } from "../support/browser.ts";
import { inTurn } from "../support/soak.ts";
import { approvalAddress, formOf, openPage } from "./page-client.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

const program = findBrowser();

const headingOf = (page: BrowserPage): Promise<string> =>
  page.read("document.querySelector('h1').innerText.replaceAll('\\n', ' ')");
const focusOf = (page: BrowserPage): Promise<string> => page.read("document.activeElement.innerText");

async function membersStatus(sandbox: TestSandbox, token: string): Promise<number> {
  return (await sandbox.asToken("GET", "/orgs/lanternfish/members", token)).status;
}

/** Finds text with too little contrast (WCAG 2), and other accessibility problems. */
const findings = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const backgroundOf = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] === undefined || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  let texts = 0;
  for (const e of document.querySelectorAll("body *")) {
    const isText = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
    if (!isText) continue;
    texts += 1;
    const [a, b] = [parse(getComputedStyle(e).color), backgroundOf(e)].map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(e.innerText + ": contrast " + contrast.toFixed(2));
  }
  if (texts < 4) found.push("hardly any text");
  if (document.documentElement.lang !== "en") found.push("no language");
  if (document.title === "") found.push("no title");
  if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
  if (document.querySelectorAll("main").length !== 1) found.push("not one main");
  if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window");
  for (const e of document.querySelectorAll("button, a.button")) {
    const { height } = e.getBoundingClientRect();
    if (height < 44) found.push(e.innerText + " is only " + height + " high");
    const name = e.getAttribute("aria-label") ?? e.innerText;
    if (!name.includes(e.innerText)) found.push(e.innerText + " is called " + name);
  }
  return found;
})()`;

describe.skipIf(program === null)("in a browser (skipped without Chromium)", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser(program ?? "");
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a token is approved with the mouse, then withdrawn in the settings", async () => {
    const sandbox = await startTestSandbox();
    const { token } = await sandbox.makePersonalToken("laptop", ["repo"]);
    const page = await browser.newPage();
    expect(await page.open(await approvalAddress(sandbox, token))).toBe(200);
    expect(await headingOf(page)).toBe("Approve a token for lanternfish?");
    await page.click("button[value=approve]");
    expect(await headingOf(page)).toBe("Approved");
    expect(await membersStatus(sandbox, token)).toBe(200);

    expect(await page.open(sandbox.description.settings_url)).toBe(200);
    await page.click("form button");
    expect(await page.read("document.querySelector('[role=status]').innerText")).toBe(
      "The approval was withdrawn.",
    );
    expect(await membersStatus(sandbox, token)).toBe(403);
    expect(page.complaints).toEqual([]);
  });

  test("the pages work with the keyboard only, without JavaScript, and at localhost", async () => {
    const sandbox = await startTestSandbox();
    const { token } = await sandbox.makePersonalToken("laptop");
    const page = await browser.newPage();
    await page.turnScriptsOff();
    const address = (await approvalAddress(sandbox, token)).replace("127.0.0.1", "localhost");
    expect(await page.open(address)).toBe(200);
    await page.press("Tab");
    expect(await focusOf(page)).toBe("Approve");
    expect(await page.read("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await page.press("Tab");
    expect(await focusOf(page)).toBe("Cancel");
    await page.press("Enter");
    expect(await headingOf(page)).toBe("Cancelled");
    expect(await membersStatus(sandbox, token)).toBe(403);

    await page.open(await approvalAddress(sandbox, token));
    await page.press("Tab", "Space");
    expect(await headingOf(page)).toBe("Approved");
    expect(await membersStatus(sandbox, token)).toBe(200);

    await page.open(sandbox.description.settings_url);
    await page.press("Tab", "Enter");
    expect(await headingOf(page)).toBe("Revoke the access of Harbour Deploy?");
    await page.press("Tab", "Tab");
    expect(await focusOf(page)).toBe("Keep it");
    await page.press("Enter");
    expect((await sandbox.asToken("GET", "/user")).status).toBe(200);
    await page.press("Tab", "Enter", "Tab", "Enter");
    expect(await page.read("document.querySelector('[role=status]').innerText")).toMatch(
      /no longer has access/,
    );
    expect((await sandbox.asToken("GET", "/user")).status).toBe(401);
    expect(page.complaints).toEqual([]);
  });

  test("a foreign page can neither send nor frame the form, even if it has all values", async () => {
    const sandbox = await startTestSandbox();
    const { base_url } = sandbox.description;
    const { token } = await sandbox.makePersonalToken("laptop");
    const address = await approvalAddress(sandbox, token);
    const { action, fields } = formOf(await openPage(sandbox, address));
    const inputs = Object.entries({ ...fields, decision: "approve" })
      .map(([name, value]) => `<input name="${name}" value="${value}">`)
      .join("");
    const markup = `<h1>prize</h1><iframe src="${address}"></iframe>
    <form method="post" action="${base_url}${action}">${inputs}<button>win</button></form>`;
    const foreign = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end(markup);
    });
    await new Promise<void>((resolve) => void foreign.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      foreign.closeAllConnections();
      foreign.close();
    });
    const page = await browser.newPage();
    await page.open(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    expect(page.complaints.join("\n")).toMatch(/frame|X-Frame-Options/i);
    await page.click("form button");
    expect(await page.read("document.body.innerText")).toMatch(/Origin header/);
    expect(await membersStatus(sandbox, token)).toBe(403);
  });

  test(
    "every page is readable in light and dark mode, on a phone and on a desktop",
    { tags: "soak" },
    async () => {
      const folder = process.env["SCREENSHOTS"];
      const sandbox = await startTestSandbox();
      const scopes = ["repo", "read:org", "write:packages", "admin:repo_hook", "user:email"];
      const note = `release script on the laptop, ${"verylongword".repeat(12)} <b>\u202e漢字`;
      const { token } = await sandbox.makePersonalToken(note, scopes);
      const address = await approvalAddress(sandbox, token);
      const { base_url, settings_url } = sandbox.description;
      const page = await browser.newPage();

      let looks = 0;
      async function look(name: string): Promise<void> {
        const backgrounds = new Set<string>();
        for (const colours of ["light", "dark"] as const) {
          looks += 1;
          for (const width of inTurn([320, 375, 1000], 3, looks)) {
            await page.look({ colours, width });
            expect([name, colours, width, await page.read(findings)]).toEqual([name, colours, width, []]);
            const picture = await page.draw();
            expect(picture.length).toBeGreaterThan(5000);
            if (folder === undefined) continue;
            mkdirSync(folder, { recursive: true });
            writeFileSync(join(folder, `${name}-${colours}-${width}.png`), picture);
          }
          backgrounds.add(await page.read("getComputedStyle(document.body).backgroundColor"));
        }
        expect(backgrounds.size).toBe(2);
      }

      await page.open(address);
      await look("approve");
      await page.click("button[value=approve]");
      await look("approved");
      expect(await page.open(address)).toBe(410);
      await look("answered");
      expect(await page.open(`${base_url}/orgs/lanternfish/sso`)).toBe(404);
      await look("unknown");
      expect(await page.open(settings_url)).toBe(200);
      await look("settings");
      await page.click("a.button");
      await look("revoke");
      await page.click("button");
      await look("revoked");
      expect(page.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    },
  );
});
