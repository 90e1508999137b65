// Every block of shell in the README runs as it stands, in a world of its own, and ends with 0.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeExampleWorld } from "../support/example-world.ts";
import { noTerminalReason, runOnTerminal } from "../support/terminal.ts";

/** Blocks that cannot be run here, by their first line, and why. */
const notRun: Readonly<Record<string, string>> = {
  "npm ci && npm run --silent tour": "it installs packages",
  "npm ci && npm test": "it is what runs this",
  "npm ci && npm install --global .": "it installs packages",
  "grantctl auth login --base-url https://ghe.example.com/api/v3 --header-word GitHub":
    "nobody is at that address",
  "grantctl recover list": "ID stands for one that its reader has",
};

/** The block that needs a program that not every machine has. */
const parallelBlock = "seq 4 | parallel";
const hasParallel = spawnSync("parallel", ["--version"]).status === 0;

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
const firstLine = (block: string): string => block.split("\n")[0] ?? "";

test("the README has blocks, and those that are not run are among them", () => {
  expect(blocks.length).toBeGreaterThan(5);
  expect(blocks.map(firstLine)).toEqual(expect.arrayContaining(Object.keys(notRun)));
});

test.skipIf(noTerminalReason !== null).for(blocks.filter((block) => notRun[firstLine(block)] === undefined))(
  "%s",
  async (block, { skip }) => {
    if (block.startsWith(parallelBlock) && !hasParallel) skip("there is no GNU parallel here");
    const world = await makeExampleWorld();
    onTestFinished(() => world.close());
    // Its reader's shell, with a terminal that may ask; a line that fails ends it.
    writeFileSync(join(world.folder, "block.sh"), block);
    // What changes something asks.
    const isAsked = /token reset|grant delete \d/.test(block) && !block.includes("--yes");
    const answers = isAsked ? [{ when: /\(y\/N\)/, type: "y\r" }] : [];
    const { code, text } = await runOnTerminal("bash -e block.sh", answers, world.environment);
    // The script of the sandbox's section expects its last line to fail.
    const said = block.startsWith("#!") ? "block.sh: " : "grantctl: ";
    expect([code, text]).toEqual([0, expect.not.stringContaining(said)]);
  },
);
