// The audit's page: one file that asks for nothing and shows the names that others chose as text. In a real browser, in
// light and dark, wide and on a telephone, axe-core judges it; that is skipped where there is no Chromium.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { source as axe } from "axe-core";
import { describe, expect } from "vitest";
import { test as base, type Grantctl } from "../support/grantctl.ts";
import { inFull } from "../support/soak.ts";

const hostile = "<img src=x onerror=alert(1)> & “quotes”";

async function makePage(grantctl: Grantctl, folder: string): Promise<string> {
  const [before, after] = [join(folder, "before.json"), join(folder, "audit.html")];
  await grantctl(["audit", "--output-file", before]);
  await grantctl("grant delete 4 --yes");
  await grantctl("authorization update 5 --scope gist,workflow,write:packages");
  for (const note of [hostile, `${"endless ".repeat(40)}\u202e gnidne`])
    await grantctl(["authorization", "create", "--note", note, "--scope", "delete_repo"]);
  const run = await grantctl(["audit", "--compare", before, "--output-file", after]);
  expect(run).toMatchObject({ code: 0, stdout: "" });
  return readFileSync(after, "utf8");
}

const test = base.extend<{ readonly page: string }>({
  page: async ({ grantctl, folder, world }, use) => {
    await world({ grants: 40, authorizations: 90 });
    await use(await makePage(grantctl, folder));
  },
});

test("has a row for each item, no script, and nothing to load", ({ page }) => {
  const count = (pattern: RegExp): number => page.match(pattern)?.length ?? 0;
  expect(count(/<tr/g)).toBeGreaterThan(130);
  expect(count(/<th scope="row"/g)).toBe(count(/<td data-label="ACCESS"/g));
  expect(page).not.toMatch(/<script|<link|<form|<img|<[^>]+\s(?:src|href)=|@import|url\(/);
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(page).toContain("&#60;img src=x onerror=alert(1)&#62; &#38; “quotes”");
  expect(page).not.toContain("\u202e");
});

test("shows a rule as text", async ({ grantctl, world }) => {
  await world({ grants: 1, authorizations: 1 });
  const { stdout } = await grantctl(["audit", "--format", "html", "--fail-on", "scope=<b>"]);
  expect(stdout).toContain("have findings (scope=&#60;b&#62;)");
});

/** By the rules of WCAG up to 2.2, A and AA. The result is left where `--dump-dom` shows it. */
const judge = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then(({ violations, passes }) => {
  parent.document.title = JSON.stringify({ looked: passes.length,
    width: document.documentElement.scrollWidth,
    wrong: violations.map(({ id, nodes }) => id + ": " + nodes[0].html + " " + nodes[0].failureSummary),
  }); })`;

const hasBrowser = spawnSync("chromium", ["--version"]).status === 0;

describe.skipIf(!hasBrowser)("in a browser", { tags: "soak" }, () => {
  test("breaks no rule of WCAG AA, in light and dark, on a telephone too", ({ page, folder }) => {
    // The width is that of a frame, because a window of the browser has a least one.
    const judged = page
      .replace(/<meta http-equiv[^>]*>/, "")
      .replace("</html>", () => `<script>${axe}</script><script>${judge}</script></html>`)
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;");
    for (const width of inFull([375], [375, 1280]))
      for (const scheme of inFull([1], [0, 1])) {
        const file = join(folder, "frame.html");
        writeFileSync(
          file,
          `<title></title><iframe width="${width}" height="720" srcdoc="${judged}"></iframe>`,
        );
        const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000"];
        const colours = `--blink-settings=preferredColorScheme=${scheme}`;
        const [, title = ""] =
          /<title>(.*?)<\/title>/s.exec(
            execFileSync("chromium", [...flags, colours, "--window-size=1400,900", "--dump-dom", file], {
              encoding: "utf8",
              stdio: ["ignore", "pipe", "ignore"],
              maxBuffer: 1e8,
              env: { ...process.env, HOME: folder },
            }),
          ) ?? [];
        const result = JSON.parse(
          title.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
        );
        expect(result).toMatchObject({ wrong: [] });
        expect(result.looked).toBeGreaterThan(5);
        expect(result.width).toBeLessThanOrEqual(width);
      }
  });
});
