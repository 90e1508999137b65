// `grantctl completion`: every word of the command table is in every script, and printing one depends on nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { jsonFields } from "../../../src/command-line/completion/json-fields.ts";
import { writePowershell } from "../../../src/command-line/completion/powershell.ts";
import { readWordTree, type CommandNode } from "../../../src/command-line/completion/word-tree.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";

const shells = ["bash", "zsh", "fish", "powershell"] as const;
const tree = readWordTree(await createWholeProgram(), jsonFields);
const flags = [...tree.globals, ...tree.nodes.flatMap((node) => node.flags)];

/** Whether a script has a text as a word of its own. */
function hasWord(script: string, word: string): boolean {
  const pattern = word.replaceAll(/[.+]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`).test(script);
}

describe.each(shells)("the script for %s", (shell) => {
  test("has every command, alias, flag, choice and field", async () => {
    const { code, stdout, stderr } = await runMain(["completion", shell]);
    expect([code, stderr]).toEqual([0, ""]);
    const choices = [...flags, ...tree.nodes.flatMap((node) => node.positionals)].flatMap(({ values }) =>
      values !== null && "words" in values ? values.words : [],
    );
    const words = [
      ...tree.nodes.flatMap((node) => [...node.path, ...node.aliases]),
      // Fish says of a flag only its name.
      ...flags.map(({ long }) => (shell === "fish" ? long.slice(2) : long)),
      ...choices,
    ];
    expect(words.length).toBeGreaterThan(300);
    expect(words.filter((word) => !hasWord(stdout, word))).toEqual([]);
  });

  test("is printed whatever is configured, left behind or wrong, and announces nothing", async () => {
    const configuration = makeConfigurationFolder("{ broken");
    const state = makeStateFolder();
    mkdirSync(state.path, { mode: 0o700 });
    writeFileSync(join(state.path, "20260131-120000-a1b2c3.journal"), "x", { mode: 0o600 });
    const environment = { ...configuration.environment, ...state.environment, GRANTCTL_BASE_URL: "nonsense" };
    const run = await runMain(["completion", shell], { environment });
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toBe((await runMain(["completion", shell])).stdout);
  });
});

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
  expect(stdout).not.toContain("--values");
});

test("the fields that are completed are those that each command takes", async () => {
  const taken: Record<string, readonly string[]> = {};
  const verbs = tree.nodes.filter(isRun);
  for (const node of verbs) {
    const name = node.path.join(" ");
    // They do not end by themselves.
    if (name === "sandbox start" || name === "sandbox run") continue;
    const run = await runMain([...wordsFor(node), "--json", "no_such_field", "--no-input"], {
      input: "0123456789012345678901234567890123456789",
      environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:1", GRANTCTL_CLIENT_ID: "0".repeat(20) },
    });
    const fields = /there is no field.*"hint":"the fields are ([^"]+)"/.exec(run.stderr)?.[1];
    if (fields !== undefined) taken[name] = fields.split(", ");
  }
  expect(taken).toEqual(jsonFields);
});

/** Whether it is a command that can be run, and neither a noun nor the words of a command behind `help` or `schema`. */
function isRun({ path, commands }: CommandNode): boolean {
  return path[0] === "help" || path[0] === "schema" ? path.length === 1 : commands.length === 0;
}

/** A command line that a command understands. */
function wordsFor({ path, positionals }: CommandNode): readonly string[] {
  const given = positionals.map(({ values }) => ("words" in values ? (values.words[0] ?? "1") : "1"));
  const needed: Readonly<Record<string, readonly string[]>> = {
    create: ["--note", "n"],
    update: ["--note", "n"],
    "get-or-create": ["--client-id", "0".repeat(20)],
  };
  return [...path, ...given, ...(needed[path.at(-1) ?? ""] ?? [])];
}

/** What the scripts are answered. */
async function localValues(kind: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const run = await runMain(["completion", "--values", kind], { environment });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  return run.stdout;
}

describe("--values", () => {
  test("are the profiles with their addresses, and what is set in them", async () => {
    const { environment } = makeConfigurationFolder({
      profiles: {
        work: { base_url: "https://one.example/api/v3", username: "ada", header_word: "GitHub" },
        home: { base_url: "https://two.example", username: "ada" },
        "with space": undefined,
        odd: { username: "two words" },
      },
    });
    expect(await localValues("profiles", environment)).toBe(
      "work\thttps://one.example/api/v3\nhome\thttps://two.example\nodd\n",
    );
    expect(await localValues("username", environment)).toBe("ada\n");
    expect(await localValues("header_word", environment)).toBe("GitHub\n");
    // A profile that does not exist yet keeps nobody from the others.
    expect(await localValues("profiles", { ...environment, GRANTCTL_PROFILE: "new" })).toContain("work\t");
  });

  test("are what earlier runs left, without a look into it", async () => {
    const state = makeStateFolder();
    expect(await localValues("leftovers", state.environment)).toBe("");
    mkdirSync(state.path, { mode: 0o700 });
    for (const id of ["20260131-120000-a1b2c3", "20260130-120000-d4e5f6"]) {
      writeFileSync(join(state.path, `${id}.journal`), "not a journal", { mode: 0o600 });
    }
    writeFileSync(join(state.path, "a\u001b[31m b.journal"), "");
    expect(await localValues("leftovers", state.environment)).toBe(
      "20260130-120000-d4e5f6\n20260131-120000-a1b2c3\n",
    );
    expect(state.journals()).toHaveLength(3);
  });
});

/** No PowerShell is at hand to try it: what is checked is that nothing of it can be more than text. */
test("the script for powershell holds texts in single quotes alone, and closes what it opens", () => {
  const hostile = `it's \u2018q\u2019 "$(Remove-Item x)" \`$y #> '; Remove-Item x; '@ @{`;
  const program = new Command("grantctl").addOption(new Option("--flag <file>", hostile));
  program.command("bad").summary(hostile).argument("<key>");
  const script = writePowershell(readWordTree(program, {}));
  const rows = script.split("\n").filter((line) => line.startsWith("        @{"));
  const text = String.raw`'(?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*'`;
  const row = new RegExp(String.raw`^ {8}@\{(?: \w+ = (?:${text}|\$true|\$false);?)+ \}$`);
  expect(rows).toHaveLength(5);
  for (const line of rows) expect(line).toMatch(row);
  expect(rows.filter((line) => line.includes("it''s \u2018\u2018q\u2019\u2019"))).toHaveLength(2);

  const brackets = script.replaceAll(new RegExp(`#.*|"'"|${text}`, "g"), "").replaceAll(/[^()[\]{}]/g, "");
  let left = brackets;
  while (/\(\)|\[\]|\{\}/.test(left)) left = left.replaceAll(/\(\)|\[\]|\{\}/g, "");
  expect([brackets.length > 100, left]).toEqual([true, ""]);
});
