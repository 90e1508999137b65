// The exact words of the program, as recorded sessions: see recorder.ts. No other test asserts words. They are those of
// Node 20, because a few messages come from Node itself.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { noTerminalReason } from "../support/terminal.ts";
import { record } from "./recorder.ts";

const isUpdate = process.env["UPDATE"] === "1";
const whyNot = process.versions.node.startsWith("20.") ? noTerminalReason : "they are recorded with Node 20";

// A session is as long as its lines; each of them that hangs is ended by the recorder.
const timeout = 1_800_000;

const why = whyNot === null ? "" : ` (${whyNot})`;

describe.skipIf(whyNot !== null)(`transcripts${why}`, { concurrent: true }, () => {
  for (const name of readdirSync(import.meta.dirname).filter((file) => file.endsWith(".txt"))) {
    it(`${name} has the words that the program prints now`, { timeout }, async ({ expect }) => {
      const path = join(import.meta.dirname, name);
      const script = readFileSync(path, "utf8");
      const now = await record(script);
      if (isUpdate) writeFileSync(path, now);
      else expect(now, "`npm run transcripts` records them again: read the whole diff").toBe(script);
    });
  }
});
