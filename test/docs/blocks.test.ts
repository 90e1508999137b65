// Runs every shell block of README.md and docs/guides unchanged, in a separate environment, as its reader would.
// docs/development.md explains the marks.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { readBlocks, type Block } from "./document-blocks.ts";
import { makeExampleWorld, type ExampleWorld } from "../support/example-world.ts";
import { noTerminalReason, runOnTerminal, type Step } from "../support/terminal.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs/guides")).map((name) => `docs/guides/${name}`),
].filter((page) => page.endsWith(".md"));
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]));
const blocks = [...texts].flatMap(([page, text]) => readBlocks(page, text));
const run = blocks.filter(({ marks }) => marks["not run"] === undefined);

const languages = ["sh", "crontab", "ini", "yaml", "text", "json"];

const hasProgram = (name: string): boolean => spawnSync("which", [name]).status === 0;

test("finds blocks, each with its language", () => {
  expect(blocks.length).toBeGreaterThan(5);
  for (const { place, language } of blocks)
    expect([place, languages]).toEqual([place, expect.arrayContaining([language])]);
});

test("links between pages resolve to files and headings", () => {
  const broken = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
      .filter(([, path = "", heading]) => {
        const file = path === "" ? join(root, page) : join(root, dirname(page), path);
        return !existsSync(file) || (heading !== undefined && !headingsOf(file).includes(heading));
      })
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

describe.skipIf(noTerminalReason !== null)("shell", () => {
  test.for(run.filter(({ language }) => language === "sh"))("$place", async (block, { skip }) => {
    const missing = neededBy(block).filter((name) => !hasProgram(name));
    if (missing.length > 0) skip(`there is no ${missing.join(", ")} here`);
    const world = await openWorld(block);
    // A shell on a terminal, so that commands can prompt; it stops at the first failing line. A reader may paste a block
    // of the README twice.
    writeFileSync(join(world.folder, "block.sh"), block.text);
    const isReadme = block.place.startsWith("README.md");
    const line = isReadme ? "bash -e block.sh && bash -e block.sh" : "bash -e block.sh";
    const { code, text } = await runOnTerminal(line, answersOf(block, isReadme ? 2 : 1), world.environment);
    expect(endOf(block, code, text)).toEqual(wantedEnd(block, text));
  });
});

interface End {
  readonly code: number | null;
  /** Error messages of grantctl, if the page promises success. */
  readonly complaints: readonly string[];
  readonly output: string;
}

function wantedEnd({ marks }: Block, output: string): End {
  return { code: Number(marks.exit ?? 0), complaints: [], output };
}

function endOf({ marks, text }: Block, code: number | null, output: string): End {
  // A script with its own #! line handles a failure as an example.
  const complaint = text.startsWith("#!") ? "block.sh: " : "grantctl: ";
  const isExpectedToFail = marks.exit !== undefined;
  const complaints = isExpectedToFail ? [] : output.split("\n").filter((line) => line.includes(complaint));
  return { code, complaints, output };
}

/** What the reader types: answers to questions, and `exit` to leave a shell. */
function answersOf({ marks }: Block, times: number): readonly Step[] {
  const words = marks.answers?.split(" ") ?? [];
  return Array.from({ length: times }, () => words)
    .flat()
    .map((word) => ({ when: word === "exit" ? /[#$] $/ : /\(y\/N\)/, type: `${word}\r` }));
}

function neededBy({ marks }: Block): readonly string[] {
  return marks.needs?.split(" ") ?? [];
}

async function openWorld({ marks }: Block): Promise<ExampleWorld> {
  const world = await makeExampleWorld();
  onTestFinished(() => world.close());
  if (marks.leaves !== undefined) await world.leaveValue();
  return world;
}

/** The anchors of a page's headings, as GitHub generates them. */
function headingsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
