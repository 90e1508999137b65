// The page for approvals in a real browser: mouse, keyboard only, and attacks from a foreign page. Skipped if Chromium
// is not installed.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findBrowser, startBrowser, type Browser, type BrowserPage } from "../support/browser.ts";
import { approvalAddress, formOf, openPage } from "./page-client.ts";
import { startTestSandbox, type TestSandbox } from "./sandbox-client.ts";

const program = findBrowser();

const headingOf = (page: BrowserPage): Promise<string> =>
  page.read("document.querySelector('h1').innerText.replaceAll('\\n', ' ')");
const focusOf = (page: BrowserPage): Promise<string> => page.read("document.activeElement.innerText");

async function membersStatus(sandbox: TestSandbox, token: string): Promise<number> {
  return (await sandbox.asToken("GET", "/orgs/lanternfish/members", token)).status;
}

describe.skipIf(program === null)("in a browser (skipped without Chromium)", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser(program ?? "");
  });

  afterAll(async () => {
    await browser.close();
  });

  test("a token is approved with the mouse", async () => {
    const sandbox = await startTestSandbox();
    const { token } = await sandbox.makePersonalToken("laptop", ["repo"]);
    const page = await browser.newPage();
    expect(await page.open(await approvalAddress(sandbox, token))).toBe(200);
    expect(await headingOf(page)).toBe("Approve a token for lanternfish?");
    await page.click("button[value=approve]");
    expect(await headingOf(page)).toBe("Approved");
    expect(await membersStatus(sandbox, token)).toBe(200);
    expect(page.complaints).toEqual([]);
  });

  test("the page works with the keyboard only, without JavaScript, and at localhost", async () => {
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
});
