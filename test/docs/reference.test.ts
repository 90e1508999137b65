// docs/reference.md, from which the manual page is made, and the table of commands in README.md are generated from the
// command table: `npm run docs` writes what these tests compare.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { topics } from "../../src/command-line/topics.ts";
import { createWholeProgram } from "../../src/program.ts";
import { runMain } from "../support/test-host.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const program = await createWholeProgram();
const { commands } = program;

/** The help of a command or a topic below a heading. */
async function sectionOf(...words: readonly string[]): Promise<string> {
  const { stdout } = await runMain(["help", ...words]);
  return `## ${["grantctl", ...words].join(" ")}\n\n\`\`\`text\n${stdout}\`\`\`\n`;
}

test("docs/reference.md has the help of every command and topic", async () => {
  const words = commands.flatMap((noun) => [
    [noun.name()],
    ...noun.commands.map((verb) => [noun.name(), verb.name()]),
  ]);
  const pages = [[], ...words, ...Object.keys(topics).map((name) => ["help", name])];
  const sections = await Promise.all(pages.map((page) => sectionOf(...page)));
  // The form of the heading is marked-man's.
  const text = [`# grantctl(1) -- ${program.summary()}\n`, ...sections].join("\n");
  await expect(text).toMatchFileSnapshot(pathOf("docs/reference.md"));
});

function rowOf(noun: Command): readonly string[] {
  const verbs = noun.commands.map((verb) => `\`${verb.name()}\``).join(", ");
  return [`[\`${noun.name()}\`](docs/reference.md#grantctl-${noun.name()})`, verbs, noun.summary()];
}

test("README.md lists every command with its summary", async () => {
  const rows = [["command", "subcommands", "use it to"], ...commands.map(rowOf)];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill: string): string =>
    `| ${widths.map((width, at) => (cells[at] ?? "").padEnd(width, fill)).join(" | ")} |`;
  const [header, ...others] = rows.map((row) => line(row, " "));
  const table = [header, line([], "-"), ...others].join("\n");
  const readme = readFileSync(pathOf("README.md"), "utf8");
  const now = readme.replace(/(?<=<!-- commands: .*? -->\n\n)[^]*?(?=\n\n<!-- end of commands -->)/, table);
  await expect(now).toMatchFileSnapshot(pathOf("README.md"));
});
