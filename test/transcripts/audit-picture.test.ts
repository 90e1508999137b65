// docs/audit.png, the picture in the README: the top of an audit's page. The picture carries a hash of the page that it
// shows, so that the test fails when the page has changed, also on a machine without a browser. `npm run transcripts`
// draws it again if there is one.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { findBrowser, startBrowser } from "../support/browser.ts";
import { noTerminalReason } from "../support/terminal.ts";
import { openWorld } from "./recorder.ts";

const picture = fileURLToPath(new URL("../../docs/audit.png", import.meta.url));
const shown = { width: 1000, height: 850 };

const whyNot = process.versions.node.startsWith("20.") ? noTerminalReason : "it is drawn with Node 20";

test.skipIf(whyNot !== null)("docs/audit.png shows the page of an audit as it is now", async () => {
  const page = await pageOfNow();
  const hash = createHash("sha256").update(page).digest("hex");
  const browser = findBrowser();
  if (process.env["UPDATE"] === "1" && browser !== null && hashIn(readFileSync(picture)) !== hash)
    writeFileSync(picture, withHash(await draw(page, browser), hash));
  expect(hashIn(readFileSync(picture)), "`npm run transcripts` draws it again").toBe(hash);
});

/** The page of a sandbox's account, which is the same in each run. */
async function pageOfNow(): Promise<string> {
  const world = await openWorld();
  try {
    await world.startSandbox("--grants 12 --authorizations 30");
    // As base64, because a transcript drops blanks at the end of a line, and the page allows only the style of its hash.
    const [line = ""] = await world.run("grantctl audit --format html | base64 -w0", 0, []);
    const page = Buffer.from(line.replace(/^\|-? /, ""), "base64").toString("utf8");
    return page.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:40001");
  } finally {
    await world.close();
  }
}

async function draw(page: string, program: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-picture-"));
  const browser = await startBrowser(program);
  try {
    const file = join(folder, "audit.html");
    writeFileSync(file, page);
    const tab = await browser.newPage();
    await tab.look({ colours: "light", width: shown.width });
    await tab.open(pathToFileURL(file).href);
    return await tab.draw({ top: 0, height: shown.height });
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

const keyword = "grantctl-page\0";

/** The hash in the text chunk of a PNG; null if it has none. */
function hashIn(png: Buffer): string | null {
  const at = png.indexOf(`tEXt${keyword}`, 0, "latin1");
  if (at === -1) return null;
  const length = png.readUInt32BE(at - 4);
  return png.toString("latin1", at + 4 + keyword.length, at + 4 + length);
}

/** A PNG with a text chunk before its last chunk, which is 12 bytes long. */
function withHash(png: Buffer, hash: string): Buffer {
  const content = Buffer.from(`tEXt${keyword}${hash}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length - 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, -12), length, content, checksum, png.subarray(-12)]);
}
