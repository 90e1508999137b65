// docs/reference.md, from which the manual page is made, is generated from the command table: `npm run docs` writes what
// this test compares.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { topics } from "../../src/command-line/topics.ts";
import { createWholeProgram } from "../support/whole-program.ts";
import { runMain } from "../support/test-host.ts";

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const program = await createWholeProgram();
const { commands } = program;

/** The help of a command or a topic below a heading. */
async function sectionOf(...words: readonly string[]): Promise<string> {
  const { stdout } = await runMain(words[0] === "help" && words.length > 1 ? words : ["help", ...words]);
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
