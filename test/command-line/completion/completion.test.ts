// `grantctl __complete` and the scripts that call it: offers every word of the command table at its position, and
// depends only on this machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { completeLine } from "../../../src/command-line/completion.ts";
import { scripts, shells } from "../../../src/command-line/completion-scripts.ts";
import { helpPartsOf } from "../../../src/command-line/help-sections.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { exampleOf } from "../../support/example-words.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

const program = await createWholeProgram();
const reach = (
  command: Command,
  path: readonly string[],
): readonly { command: Command; path: readonly string[] }[] => [
  { command, path },
  ...command.commands.flatMap((child) => reach(child, [...path, child.name()])),
];
const all = reach(program, []);

async function find(path: readonly string[]): Promise<Command> {
  const found = all.find((one) => one.path.join(" ") === path.join(" "));
  if (found === undefined) throw new Error(`no ${path.join(" ")}`);
  return found.command;
}

/** The type of the completions if `current` follows these words, and the completions. */
async function offersFor(
  current: string,
  words: readonly string[],
): Promise<readonly [string, readonly string[]]> {
  const answer = await completeLine([`=${current}`, ...words], {
    commands: { find },
    dispatch: async () => undefined,
  });
  const [kind = "", ...lines] = answer.trimEnd().split("\n");
  return [kind, lines.map((line) => line.split("\t")[0] ?? "")];
}

test.each(all)(
  "grantctl $path: its commands, its own and the global flags, their choices and fields",
  async (one) => {
    const { command, path } = one;
    const help = command.createHelp();
    const names = help.visibleCommands(command).map((child) => child.name());
    // The arguments of help are command names.
    const expected = path[0] === "help" ? [] : names.filter((name) => name !== "help" || path.length === 0);
    expect((await offersFor("", path))[1]).toEqual(expect.arrayContaining(expected));
    const own = help.visibleOptions(command);
    const ofAll = program.options.filter(({ long }) => long !== "--version");
    const options = [...own, ...ofAll.filter(({ long }) => !own.some((option) => option.long === long))];
    const forms = options
      .flatMap(({ short, long }) => [short, long])
      .filter((form) => typeof form === "string");
    expect((await offersFor("-", path))[1].toSorted()).toEqual([...new Set(forms)].toSorted());
    for (const { long, argChoices } of options.filter((option) => option.argChoices !== undefined)) {
      expect((await offersFor("", [...path, long ?? ""]))[1]).toEqual(argChoices);
      expect((await offersFor(`${long}=`, path))[1]).toEqual(argChoices?.map((word) => `${long}=${word}`));
    }
    expect((await offersFor("", [...path, "--json"]))[1]).toEqual(helpPartsOf(command).fields);
  },
);

/** The line up to the cursor, its type, what is offered, and what is not. */
test.each([
  ["api /x --yes -H a:b --", "words", ["--header"], ["--yes"]],
  ["grant delete -- --", "words", [], ["--yes"]],
  ["authz ", "words", ["list", "identify"], ["grant"]],
  ["--format json -y grant ", "words", ["list"], ["grant"]],
  ["grant list --json id,", "words nospace", ["id,app.name"], ["id,id"]],
  ["help ", "words", ["exit-codes", "grant"], []],
  ["help authz ", "words", ["list"], ["exit-codes"]],
  ["config set username ", "words", [], ["username"]],
  ["token check --token-file ", "file", [], []],
  ["grant --ca-cert=x", "file --ca-cert=", [], []],
  ["sandbox run ", "program 2", [], []],
  ["sandbox run --otp app -- cat le", "program 5", [], []],
])("%s", async (line, kind, wanted, unwanted) => {
  const words = line.split(" ");
  const [type, offers] = await offersFor(words.at(-1) ?? "", words.slice(0, -1));
  expect(type).toBe(kind);
  expect(offers).toEqual(expect.arrayContaining(wanted));
  expect(offers.filter((offer) => (unwanted as readonly string[]).includes(offer))).toEqual([]);
});

test.each(shells)("the script for %s needs no valid configuration", async (shell) => {
  const configuration = makeConfigurationFolder("{ broken");
  const state = makeStateFolder();
  mkdirSync(state.path, { mode: 0o700 });
  writeFileSync(join(state.path, "20260131-120000-a1b2c3.journal"), "x", { mode: 0o600 });
  const environment = { ...configuration.environment, ...state.environment, GRANTCTL_BASE_URL: "nonsense" };
  const printed = await runMain(["completion", shell], { environment });
  expect(printed).toEqual({ code: 0, stdout: scripts[shell], stderr: "" });
  const asked = await runMain(["__complete", "=", "--profile"], { environment });
  expect(asked).toEqual({ code: 0, stdout: "words\n", stderr: "" });
});

test("the help explains how to load the script in each shell", async () => {
  const { stdout } = await runMain(["completion", "--help"], { environment: { COLUMNS: "100" } });
  for (const line of [
    "source <(grantctl completion bash)",
    "source <(grantctl completion zsh)",
    "grantctl completion fish | source",
    "grantctl completion powershell | Out-String | Invoke-Expression",
  ])
    expect(stdout).toContain(line);
});

test("the fields that are completed are exactly those that each command accepts", async () => {
  for (const { command, path } of all.filter((one) => one.command.commands.length === 0)) {
    const name = path.join(" ");
    // It runs until it is stopped.
    if (name === "sandbox run") continue;
    const run = await runMain([...(await exampleOf(name)), "--json", "no_such_field", "--no-input"], {
      input: "0123456789012345678901234567890123456789",
      environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:1", GRANTCTL_CLIENT_ID: "0".repeat(20) },
    });
    const fields = /unknown field.*"hint":"Available fields: ([^"]+)"/.exec(run.stderr)?.[1];
    expect([name, fields?.split(", ") ?? []]).toEqual([name, helpPartsOf(command).fields]);
  }
});
