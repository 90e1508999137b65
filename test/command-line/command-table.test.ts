// Rules that every command, including future ones, must follow: loops over the whole command table.
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createWholeProgram, examplesOf, grantctlWords } from "../support/whole-program.ts";
import { runMain } from "../support/test-host.ts";

const nouns = (await createWholeProgram()).commands;
/** A command without verbs counts as its own verb. */
const isAlone = (noun: Command): boolean => noun.commands.length === 0;
const verbs = nouns.flatMap((noun) =>
  isAlone(noun)
    ? [{ verb: noun, name: noun.name() }]
    : noun.commands.map((verb) => ({ verb, name: `${noun.name()} ${verb.name()}` })),
);
const needed = ({ options }: Command): readonly string[] =>
  options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? "", "1"]);

describe.each(verbs)("$name", ({ name, verb }) => {
  test("refuses an unknown flag with one line and a hint", async () => {
    const run = await runMain([...name.split(" "), ...needed(verb), "--no-such-flag"]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/^grantctl: unknown option '--no-such-flag'\nhint: .+\n$/);
  });

  test("explains itself, its flags and its arguments", () => {
    expect(verb.summary()).toMatch(/^[A-Z].{5,}[^.]$/);
    expect(verb.description()).toMatch(/^[A-Z].{10,}\.$/s);
    for (const { flags, description } of verb.options)
      expect([flags, description]).toEqual([flags, expect.stringMatching(/^[^a-z]./)]);
    for (const argument of verb.registeredArguments)
      expect([argument.name(), argument.description]).not.toContain("");
  });

  test("has examples, and each of them parses", async () => {
    const { stdout } = await runMain([...name.split(" "), "--help"]);
    const examples = examplesOf(verb);
    expect(examples.some((line) => line.includes(`grantctl ${name}`))).toBe(true);
    for (const example of examples) {
      expect(stdout).toContain(`\n  $ ${example}\n`);
      expect(grantctlWords(example).length).toBeGreaterThan(0);
      // Its files do not exist.
      for (const words of grantctlWords(example))
        expect(await parseOnly(words.map((word) => word.replace(/^[\w-]+\.\w+$/, "-")))).not.toBe("");
    }
  });
});

test.each([
  ["grants ls", "grant list"],
  ["grant rm 1", "grant delete"],
  ["authorizations list", "authorization list"],
  ["authz ls", "authorization list"],
  ["authz rm 1", "authorization delete"],
  ["tokens check", "token check"],
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
