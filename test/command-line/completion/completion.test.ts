// `grantctl __complete` and the scripts that ask it: every word of the command table is offered in its place, and what
// is asked depends on nothing but this machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { completeLine } from "../../../src/command-line/completion/complete.ts";
import { scripts, shells } from "../../../src/command-line/completion/scripts.ts";
import { jsonFieldsOf } from "../../../src/commands/schema/outputs.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
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

/** What is offered where `current` stands behind these words, and of what kind it is. */
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

describe.each(all)("behind grantctl $path", ({ command, path }) => {
  test("are its commands, its flags and those of every command, their choices and fields", async () => {
    const help = command.createHelp();
    const names = help.visibleCommands(command).map((child) => child.name());
    const { offers } = await offersFor("", path);
    // Behind these two, commands are named.
    const isNaming = ["help", "schema"].includes(path[0] ?? "");
    const expected = isNaming ? [] : names.filter((name) => name !== "help" || path.length === 0);
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
    expect((await offersFor("", [...path, "--json"])).offers).toEqual(jsonFieldsOf(path.join(" ")));
  });
});

test.each([
  [
    "--yes once, and --header again",
    "--",
    ["grant", "delete", "--yes", "-H", "a:b"],
    ["--header"],
    ["--yes"],
  ],
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
  ["", ["sandbox", "start", "--data"], "folder"],
  ["", ["sandbox", "run"], "program 2"],
  ["le", ["sandbox", "run", "--otp", "app", "--", "cat"], "program 5"],
  ["id", ["grant", "list", "--json"], "words nospace"],
])("%j behind %j is of the kind %s", async (current, words, kind) => {
  expect((await offersFor(current, words)).kind).toBe(kind);
});

test.each(shells)(
  "the script for %s is printed whatever is configured, left behind or wrong",
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
  "%j is a usage failure",
  async (words) => {
    const run = await runMain(["completion", ...words]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  },
);

test("the help of the command says how to load the script in each shell", async () => {
  const { stdout } = await runMain(["completion", "--help"]);
  expect(stdout).toContain("source <(grantctl completion bash)");
  expect(stdout).toContain("source <(grantctl completion zsh)");
  expect(stdout).toContain("grantctl completion fish | source");
  expect(stdout).toContain("grantctl completion powershell | Out-String | Invoke-Expression");
});

test("the fields that are completed are those that each command takes", async () => {
  for (const reached of all.filter(({ command }) => command.commands.length === 0)) {
    const name = reached.path.join(" ");
    // They do not end by themselves.
    if (name === "sandbox start" || name === "sandbox run") continue;
    const run = await runMain([...wordsFor(reached), "--json", "no_such_field", "--no-input"], {
      input: "0123456789012345678901234567890123456789",
      environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:1", GRANTCTL_CLIENT_ID: "0".repeat(20) },
    });
    const fields = /there is no field.*"hint":"the fields are ([^"]+)"/.exec(run.stderr)?.[1];
    expect([name, fields?.split(", ") ?? []]).toEqual([name, jsonFieldsOf(name)]);
  }
});

/** A command line that a command understands. */
function wordsFor({ path, command }: Reached): readonly string[] {
  const given = command.registeredArguments.map((argument) =>
    argument.name() === "key" ? "username" : (argument.argChoices?.[0] ?? "1"),
  );
  const needed: Readonly<Record<string, readonly string[]>> = {
    create: ["--note", "n"],
    update: ["--note", "n"],
    "get-or-create": ["--client-id", "0".repeat(20)],
  };
  if (path[0] === "help" || path[0] === "schema") return path;
  return [...path, ...given, ...(needed[path.at(-1) ?? ""] ?? [])];
}

/** What the scripts are told behind these words, without its first line. */
async function localValues(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const run = await runMain(["__complete", "=", ...words], { environment });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return run.stdout.replace("words\n", "");
}

describe("from this machine", () => {
  test("come the profiles with their addresses, and what is set in them", async () => {
    const { environment } = makeConfigurationFolder({
      profiles: {
        work: { base_url: "https://one.example/api/v3", username: "ada", header_word: "GitHub" },
        home: { base_url: "https://two.example", username: "ada" },
        "with space": undefined,
        odd: { username: "two words" },
      },
    });
    expect(await localValues(["--profile"], environment)).toBe(
      "work\thttps://one.example/api/v3\nhome\thttps://two.example\nodd\n",
    );
    expect(await localValues(["grant", "list", "--username"], environment)).toBe("ada\n");
    expect(await localValues(["--header-word"], environment)).toBe("GitHub\n");
    // A profile that does not exist yet keeps nobody from the others.
    expect(await localValues(["--profile"], { ...environment, GRANTCTL_PROFILE: "new" })).toContain("work\t");
  });

  test("comes what earlier runs left, without a look into it", async () => {
    const state = makeStateFolder();
    expect(await localValues(["recover", "show"], state.environment)).toBe("");
    mkdirSync(state.path, { mode: 0o700 });
    for (const id of ["20260131-120000-a1b2c3", "20260130-120000-d4e5f6"]) {
      writeFileSync(join(state.path, `${id}.journal`), "not a journal", { mode: 0o600 });
    }
    writeFileSync(join(state.path, "a\u001b[31m b.journal"), "");
    const ids = "20260130-120000-d4e5f6\n20260131-120000-a1b2c3\n";
    expect(await localValues(["recover", "show"], state.environment)).toBe(ids);
    expect(await localValues(["grant", "delete", "--resume"], state.environment)).toBe(ids);
    expect(state.journals()).toHaveLength(3);
  });
});

/** Where no PowerShell is at hand to try it, this much can be said. */
test("the script for powershell closes what it opens", () => {
  const brackets = scripts.powershell
    .replaceAll(/#.*|'(?:[^']|'')*'|"[^"]*"/g, "")
    .replaceAll(/[^()[\]{}]/g, "");
  let left = brackets;
  while (/\(\)|\[\]|\{\}/.test(left)) left = left.replaceAll(/\(\)|\[\]|\{\}/g, "");
  expect([brackets.length > 40, left]).toEqual([true, ""]);
});
