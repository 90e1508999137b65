// `grantctl __complete` and the scripts that call it: offers every word of the command table at its position, and
// depends only on this machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { completeLine } from "../../../src/command-line/completion.ts";
import { scripts, shells } from "../../../src/command-line/completion-scripts.ts";
import { helpPartsOf } from "../../../src/command-line/help-sections.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { exampleOf } from "../../support/example-words.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

const program = await createWholeProgram();

interface Reached {
  readonly command: Command;
  readonly path: readonly string[];
}

const reach = (command: Command, path: readonly string[]): readonly Reached[] => [
  { command, path },
  ...command.commands.flatMap((child) => reach(child, [...path, child.name()])),
];
const all = reach(program, []);

function find(path: readonly string[]): Promise<Command> {
  const found = all.find((one) => one.path.join(" ") === path.join(" "));
  return found === undefined
    ? Promise.reject(new Error(`no ${path.join(" ")}`))
    : Promise.resolve(found.command);
}

/** The completions if `current` follows these words, and their type. */
async function offersFor(
  current: string,
  words: readonly string[],
): Promise<{ readonly kind: string; readonly offers: readonly string[] }> {
  const answer = await completeLine([`=${current}`, ...words], {
    commands: { find },
    dispatch: () => Promise.resolve(),
  });
  const [kind = "", ...lines] = answer.trimEnd().split("\n");
  return { kind, offers: lines.map((line) => line.split("\t")[0] ?? "") };
}

describe.each(all)("completion after grantctl $path", ({ command, path }) => {
  test("offers its commands, its own and the global flags, and their choices and fields", async () => {
    const help = command.createHelp();
    const names = help.visibleCommands(command).map((child) => child.name());
    const { offers } = await offersFor("", path);
    // The arguments of help are command names.
    const expected = path[0] === "help" ? [] : names.filter((name) => name !== "help" || path.length === 0);
    expect(offers).toEqual(expect.arrayContaining(expected));
    const own = help.visibleOptions(command);
    const ofAll = program.options.filter(({ long }) => long !== "--version");
    const options = [...own, ...ofAll.filter(({ long }) => !own.some((option) => option.long === long))];
    const forms = options
      .flatMap(({ short, long }) => [short, long])
      .filter((form) => form !== undefined && form !== null);
    expect((await offersFor("-", path)).offers.toSorted()).toEqual([...new Set(forms)].toSorted());
    const choosing = options.filter(({ argChoices }) => argChoices !== undefined);
    for (const { long, argChoices } of choosing) {
      expect((await offersFor("", [...path, long ?? ""])).offers).toEqual(argChoices);
      const joined = argChoices?.map((word) => `${long}=${word}`);
      expect((await offersFor(`${long}=`, path)).offers).toEqual(joined);
    }
    expect((await offersFor("", [...path, "--json"])).offers).toEqual(helpPartsOf(command).fields);
  });
});

test.each([
  ["--yes once, and --header again", "--", ["api", "/x", "--yes", "-H", "a:b"], ["--header"], ["--yes"]],
  ["nothing that looks like a flag behind --", "--", ["grant", "delete", "--"], [], ["--yes"]],
  ["the verbs of an alias", "", ["authz"], ["list", "identify"], ["grant"]],
  ["commands behind flags and their values", "", ["--format", "json", "-y", "grant"], ["list"], ["grant"]],
  ["no field twice", "id,", ["grant", "list", "--json"], ["id,app.name"], ["id,id"]],
  ["topics and commands", "", ["help"], ["exit-codes", "grant"], []],
  [
    "verbs behind a command that is named, and no flags of it",
    "",
    ["help", "authz"],
    ["list"],
    ["exit-codes"],
  ],
  ["nothing where a text of the user's own stands", "", ["config", "set", "username"], [], ["username"]],
])("offers %s", async (_, current, words, wanted, unwanted) => {
  const { offers } = await offersFor(current, words);
  expect(offers).toEqual(expect.arrayContaining(wanted));
  expect(offers.filter((offer) => unwanted.includes(offer))).toEqual([]);
});

test.each([
  ["", ["token", "check", "--token-file"], "file"],
  ["--ca-cert=x", ["grant"], "file --ca-cert="],
  ["", ["sandbox", "run"], "program 2"],
  ["le", ["sandbox", "run", "--otp", "app", "--", "cat"], "program 5"],
  ["id", ["grant", "list", "--json"], "words nospace"],
])("completes %j after %j with type %s", async (current, words, kind) => {
  expect((await offersFor(current, words)).kind).toBe(kind);
});

test.each(shells)(
  "prints the script for %s despite an invalid configuration and unfinished runs",
  async (shell) => {
    const configuration = makeConfigurationFolder("{ broken");
    const state = makeStateFolder();
    mkdirSync(state.path, { mode: 0o700 });
    writeFileSync(join(state.path, "20260131-120000-a1b2c3.journal"), "x", { mode: 0o600 });
    const environment = { ...configuration.environment, ...state.environment, GRANTCTL_BASE_URL: "nonsense" };
    expect(await runMain(["completion", shell], { environment })).toEqual({
      code: 0,
      stdout: scripts[shell],
      stderr: "",
    });
    const asked = await runMain(["__complete", "=", "--profile"], { environment });
    expect(asked).toEqual({ code: 0, stdout: "words\n", stderr: "" });
  },
);

test.each([[[]], [["tcsh"]], [["bash", "zsh"]], [["--values", "passwords"]]] as const)(
  "rejects %j as a usage error",
  async (words) => {
    const run = await runMain(["completion", ...words]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  },
);

test("explains in the help how to load the script in each shell", async () => {
  const { stdout } = await runMain(["completion", "--help"], { environment: { COLUMNS: "100" } });
  expect(stdout).toContain("source <(grantctl completion bash)");
  expect(stdout).toContain("source <(grantctl completion zsh)");
  expect(stdout).toContain("grantctl completion fish | source");
  expect(stdout).toContain("grantctl completion powershell | Out-String | Invoke-Expression");
});

test("completes exactly the fields that each command accepts", async () => {
  for (const reached of all.filter(({ command }) => command.commands.length === 0)) {
    const name = reached.path.join(" ");
    // It runs until it is stopped.
    if (name === "sandbox run") continue;
    const run = await runMain([...(await exampleOf(name)), "--json", "no_such_field", "--no-input"], {
      input: "0123456789012345678901234567890123456789",
      environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:1", GRANTCTL_CLIENT_ID: "0".repeat(20) },
    });
    const fields = /unknown field.*"hint":"Available fields: ([^"]+)"/.exec(run.stderr)?.[1];
    expect([name, fields?.split(", ") ?? []]).toEqual([name, helpPartsOf(reached.command).fields]);
  }
});
