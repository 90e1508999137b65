// Rules that every command, including future ones, must follow: loops over the whole command table.
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { helpPartsOf } from "../../src/command-line/help-sections.ts";
import { topics } from "../../src/command-line/topics.ts";
import { createWholeProgram } from "../../src/program.ts";
import { grantctlWords } from "../support/example-words.ts";
import { runMain } from "../support/test-host.ts";

const nouns = (await createWholeProgram()).commands;
/** A command without verbs counts as its own verb. */
const isAlone = (noun: Command): boolean => noun.commands.length === 0;
const verbs = nouns.flatMap((noun) =>
  isAlone(noun)
    ? [{ verb: noun, name: noun.name() }]
    : noun.commands.map((verb) => ({ verb, name: `${noun.name()} ${verb.name()}` })),
);
const helps = [
  "--help",
  ...new Set(
    [...nouns.map((noun) => noun.name()), ...verbs.map(({ name }) => name)].map((name) => `${name} --help`),
  ),
  ...topics.map(({ name }) => `help ${name}`),
];

test.each(helps)("%s fits into the width", async (words) => {
  for (const [columns, most] of [
    [null, 80],
    [40, 40],
    [300, 100],
  ] as const) {
    const help = await runMain(words.split(" "), { columns, environment: { NO_COLOR: "1" } });
    expect(help).toMatchObject({ code: 0, stderr: "" });
    if (words.endsWith("--help")) expectLayout(help.stdout);
    // A flag and its value stay on one line, even if they exceed the width; in an example, a word that exceeds it keeps
    // its backslash.
    const tooWide = help.stdout.split("\n").filter((line) => Array.from(line).length > most);
    expect(
      tooWide.map((line) => line.replace(/ \\$/, "").trim()).filter((line) => line.includes(" ")),
    ).toEqual([]);
  }
});

function expectLayout(text: string): void {
  expect(text).toMatch(/^[A-Z].*\n(?:.+\n)*\nUSAGE\n {2}grantctl/);
}

describe.each(verbs)("$name", ({ name, verb }) => {
  test("refuses an unknown flag with one line and a hint", async () => {
    const needed = name.endsWith("create") ? ["--note", "n"] : [];
    const run = await runMain([...name.split(" "), ...needed, "--no-such-flag"]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/^grantctl: .*--no-such-flag.*\nhint: .+\n$/);
  });

  test("explains itself, its flags and its arguments", () => {
    expect(verb.summary()).toMatch(/^[A-Z].{5,}[^.]$/);
    expect(verb.description()).toMatch(/^[A-Z].{10,}\.$/s);
    for (const { flags, description } of verb.options)
      expect([flags, description]).toEqual([flags, expect.stringMatching(/^[^a-z]./)]);
    for (const argument of verb.registeredArguments)
      expect([argument.name(), argument.description]).not.toContain("");
  });

  test("names the global flags that matter, and the topic with the others", async () => {
    const { stdout } = await runMain([...name.split(" "), "--help"]);
    const [, inherited = ""] = /\nINHERITED FLAGS\n([^]*?)\n\n[A-Z]/.exec(stdout) ?? [];
    const explained = [...inherited.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)(?: [<[]| {2})/gm)].map(
      ([, flag]) => flag,
    );
    const needed = [
      ...(/ (?:delete|revoke|revoke-grant|reset|rotate)$/.test(name) ? ["--yes"] : []),
      ...(/ (?:list|view)$/.test(name) ? ["--json", "--jq"] : []),
    ];
    expect(explained).toEqual(expect.arrayContaining(needed));
    expect(explained.length).toBeLessThanOrEqual(6);
    expect(inherited).toContain("`grantctl help flags`");
  });

  test("has examples, and each of them parses", async () => {
    const { stdout } = await runMain([...name.split(" "), "--help"], { columns: 300 });
    const { examples } = helpPartsOf(verb);
    expect(examples.some((line) => line.includes(`grantctl ${name}`))).toBe(true);
    for (const example of examples) {
      // Help prints it on one line or continues it after a backslash.
      expect(stdout.replaceAll(/ \\\n\s+/g, " ")).toContain(`\n  $ ${example}\n`);
      expect(grantctlWords(example).length).toBeGreaterThan(0);
      for (const words of grantctlWords(example)) expect(await parseOnly(words)).not.toBe("");
    }
  });
});

test.each([
  ["grants ls", "grant list"],
  ["grant rm 1", "grant delete"],
  ["grant revoke 1", "grant delete"],
  ["authorizations list", "authorization list"],
  ["authz ls", "authorization list"],
  ["authz rm 1", "authorization delete"],
  ["authz revoke 1", "authorization delete"],
  ["tokens check", "token check"],
  ["token rm", "token revoke"],
  ["token delete", "token revoke"],
])("%s is %s", async (typed, meant) => {
  expect(await parseOnly(typed.split(" "))).toBe(meant);
});

/** Parses without running anything; resolves with the parsed noun and verb. */
async function parseOnly(words: readonly string[]): Promise<string> {
  const parsing = await createWholeProgram();
  let understood = "";
  for (const noun of parsing.commands)
    for (const verb of isAlone(noun) ? [noun] : noun.commands)
      verb.action(() => {
        understood = isAlone(noun) ? noun.name() : `${noun.name()} ${verb.name()}`;
      });
  await parsing.parseAsync([...words], { from: "user" });
  return understood;
}
