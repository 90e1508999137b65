// The audit's page in a real browser: looked at in light and dark, on a telephone and on paper, and judged by axe-core.
// Skipped where there is no Chromium. `npm run picture` leaves the picture of the guide in docs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { source as axe } from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { findBrowser, startBrowser, type Browser, type BrowserPage } from "../support/browser.ts";
import { inTurn } from "../support/soak.ts";
import { runMain } from "../support/test-host.ts";

const program = findBrowser();

/** The violations that axe finds, by the rules of WCAG up to 2.2, A and AA. */
async function violationsOf(page: BrowserPage): Promise<readonly string[]> {
  await page.read(`${axe}; 0`);
  return page.read(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then(({ violations, passes }) =>
      passes.length < 6 ? ["hardly anything was looked at"] :
      violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`,
  );
}

/** Leaves what was seen where somebody wants to see it. */
async function leave(name: string, draw: () => Promise<Buffer>): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), await draw());
}

describe.skipIf(program === null)(
  "the audit's page in a browser (skipped where there is no chromium)",
  () => {
    let browser: Browser;
    let account: Account;
    let folder: string;
    let address: string;

    beforeAll(async () => {
      browser = await startBrowser(program ?? "");
      account = await openAccount({ grants: 40, authorizations: 90 });
      folder = mkdtempSync(join(tmpdir(), "grantctl-page-"));
      const { environment } = account;
      const run = async (...words: readonly string[]): Promise<void> => {
        expect((await runMain([...words], { environment })).code).toBe(0);
      };
      const before = join(folder, "before.json");
      await run("audit", "--output-file", before);
      await run("grant", "delete", "4", "--yes");
      await run("authorization", "update", "5", "--scope", "gist,workflow,write:packages");
      await run(
        "authorization",
        "create",
        "--note",
        "<img src=x onerror=alert(1)> & “quotes”",
        "--scope",
        "delete_repo",
      );
      await run(
        "authorization",
        "create",
        "--note",
        `${"endless ".repeat(40)}\u202e gnidne`,
        "--scope",
        "repo",
      );
      await run("audit", "--compare", before, "--output-file", join(folder, "audit.html"));
      address = pathToFileURL(join(folder, "audit.html")).href;
    });

    afterAll(async () => {
      await browser.close();
      await account.sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const looks = [
      ["light", 1280],
      ["dark", 1280],
      ["light", 375],
      ["dark", 375],
    ] as const;
    test.each(inTurn(looks, 3, 0))(
      "in %s colours, %i wide, breaks no rule of WCAG AA",
      { tags: "soak" },
      async (colours, width) => {
        const page = await browser.newPage();
        await page.look({ colours, width });
        await page.open(address);
        if (colours === "light" && width === 1280)
          await leave("audit.png", () => page.draw({ top: 0, height: 620 }));
        expect(await page.read("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await violationsOf(page)).toEqual([]);
        expect(page.complaints).toEqual([]);
      },
    );

    test("has no script, asks for nothing, and its policy would allow neither", async () => {
      const page = await browser.newPage();
      await page.open(address);
      expect(await page.read("document.scripts.length")).toBe(0);
      expect(await page.read("performance.getEntriesByType('resource').length")).toBe(0);
      expect(
        await page.read(`document.querySelectorAll('[src], link, [style], form, a:not([href^="#"])').length`),
      ).toBe(0);
      // The style counts, so the policy names it rightly.
      expect(await page.read("getComputedStyle(document.body).marginTop")).toBe("0px");
      await page.read(
        "(() => { const s = document.createElement('script'); s.textContent = 'globalThis.ran = true'; document.body.append(s); })()",
      );
      expect(await page.read("globalThis.ran ?? false")).toBe(false);
      expect(page.complaints.join()).toMatch(/Content Security Policy/);
    });

    test("has a row for each grant and authorization, with headings", async () => {
      const page = await browser.newPage();
      await page.open(address);
      const count = (selector: string): Promise<number> =>
        page.read(`document.querySelectorAll("${selector}").length`);
      expect(await count("tbody > tr")).toBeGreaterThan(130);
      expect(await count("tbody > tr > td")).toBe(3 * (await count("tbody > tr > th[scope=row]")));
    });

    test("shows the names that others chose as text", async () => {
      const page = await browser.newPage();
      await page.open(address);
      const text = await page.read<string>("document.body.innerText");
      expect(text).toContain("<img src=x onerror=alert(1)> & “quotes”");
      expect(text).not.toContain("\u202e");
      expect(await page.read("document.images.length")).toBe(0);
    });

    test("can be printed", async () => {
      const page = await browser.newPage();
      await page.look({ colours: "dark", width: 1280 });
      await page.open(address);
      expect((await page.print()).subarray(0, 5).toString()).toBe("%PDF-");
    });
  },
);
