// Every block of shell in the README runs as it stands, in a world of its own, and ends with 0.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeExampleWorld } from "../support/example-world.ts";
import { noTerminalReason, runOnTerminal } from "../support/terminal.ts";

/** Blocks that cannot be run here, by their first line, and why. */
const notRun: Readonly<Record<string, string>> = {
  "npm ci && npm run --silent tour": "it installs packages",
  "npm ci && npm test": "it is what runs this",
  "grantctl auth login --base-url https://ghe.example.com/api/v3 --header-word GitHub":
    "nobody is at that address",
  "grantctl recover list": "ID stands for one that its reader has",
};

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
const firstLine = (block: string): string => block.split("\n")[0] ?? "";

test("the README has blocks, and those that are not run are among them", () => {
  expect(blocks.length).toBeGreaterThan(5);
  expect(blocks.map(firstLine)).toEqual(expect.arrayContaining(Object.keys(notRun)));
});

test
  .skipIf(noTerminalReason !== null)
  .each(blocks.filter((block) => notRun[firstLine(block)] === undefined).map((block) => [block]))(
  "%s",
  async (block) => {
    const world = await makeExampleWorld();
    onTestFinished(() => world.close());
    // Its reader's shell, with a terminal that may ask; a line that fails ends it.
    writeFileSync(join(world.folder, "block.sh"), block);
    // A reset asks, and nothing else in it does.
    const isAsked = block.includes("token reset") && !block.includes("--yes");
    const answers = isAsked ? [{ when: /\?/, type: "y\r" }] : [];
    const { code, text } = await runOnTerminal("bash -e block.sh", answers, world.environment);
    // The script of the sandbox's section expects its last line to fail.
    const said = block.startsWith("#!") ? "block.sh: " : "grantctl: ";
    expect([code, text]).toEqual([0, expect.not.stringContaining(said)]);
  },
);
