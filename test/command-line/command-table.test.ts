// Rules that every command, including future ones, must follow: loops over the whole command table.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { helpPartsOf } from "../../src/command-line/help-sections.ts";
import { createWholeProgram } from "../../src/program.ts";
import { grantctlWords } from "../support/example-words.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const widest = 100;
const nouns = (await createWholeProgram()).commands;
/** A command without verbs counts as its own verb. */
const isAlone = (noun: Command): boolean => noun.commands.length === 0;
const verbs = nouns.flatMap((noun) =>
  isAlone(noun)
    ? [{ noun, verb: noun, name: noun.name() }]
    : noun.commands.map((verb) => ({ noun, verb, name: `${noun.name()} ${verb.name()}` })),
);
const paths = [
  [] as string[],
  ...nouns.map((noun) => [noun.name()]),
  ...verbs.filter(({ noun }) => !isAlone(noun)).map(({ name }) => name.split(" ")),
];

test("includes every operation of the server's API", () => {
  expect(verbs.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "grant list",
      "grant view",
      "grant delete",
      "authorization list",
      "authorization view",
      "authorization create",
      "authorization get-or-create",
      "authorization update",
      "authorization delete",
      "token check",
      "token reset",
      "token revoke",
      "token revoke-grant",
      "sandbox start",
      "sandbox run",
    ]),
  );
});

test("has a source folder per noun and a file per verb", () => {
  const commands = fileURLToPath(new URL("../../src/commands", import.meta.url));
  const folders = readdirSync(commands, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map((folder) => folder.name).toSorted()).toEqual(
    nouns.map((noun) => noun.name()).toSorted(),
  );
  for (const { noun, verb } of verbs) {
    expect(readdirSync(`${commands}/${noun.name()}`)).toContain(`${verb.name()}.ts`);
  }
});

/** The tests of single commands, without those that loop over all commands. */
const tests = fileURLToPath(new URL("..", import.meta.url));
const texts = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts") && !/^(?:command-line|contract|docs)[/\\]/.test(name))
  .map((name) => readFileSync(join(tests, name), "utf8"));

test.each(verbs.map(({ name }) => [name]))("a test runs %s", (name) => {
  const words = name.split(" ");
  const [noun = ""] = words;
  const run = new RegExp(`"${words.join('", "')}"|"${name}[ "]|grantctl ${name}\\b`);
  const hasFolder = words.length === 1 && existsSync(join(tests, "commands", noun));
  expect([name, hasFolder || texts.some((text) => run.test(text))]).toEqual([name, true]);
});

describe.each(paths.map((words) => [["grantctl", ...words].join(" "), words] as const))("%s", (_, words) => {
  test.each([
    ["a pipe", null, 80] as const,
    ["a terminal of 40", 40, 40] as const,
    ["a terminal of 60", 60, 60] as const,
    ["a wide terminal", 300, widest] as const,
  ])("prints its help on standard output within the width of %s", async (_where, columns, most) => {
    const help = await runMain([...words, "--help"], { columns, environment: { NO_COLOR: "1" } });
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^[A-Z].*\n(?:.+\n)*\nUSAGE\n {2}grantctl/);
    expect(help.stdout.endsWith("\n")).toBe(true);
    const tooWide = help.stdout.split("\n").filter((line) => Array.from(line).length > most);
    // A flag and its value stay on one line, even if they exceed the width.
    // In an example, a word that exceeds the width keeps its backslash.
    const broken = tooWide.map((line) => line.replace(/ \\$/, "").trim());
    expect(broken.filter((line) => line.includes(" "))).toEqual([]);
  });

  test("rejects an unknown flag with one line and a hint, and sends nothing", async () => {
    const server = await startRecordingServer();
    const needed = words[1] === "create" ? ["--note", "n"] : [];
    const run = await server.run([...words, ...needed, "--no-such-flag"]);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(/^grantctl: .*--no-such-flag.*\nhint: .+\n$/);
    expect(server.requests).toEqual([]);
  });
});

describe.each(verbs.map(({ name, verb }) => [name, verb] as const))("%s", (name, verb) => {
  test("has its own summary and description", () => {
    expect(verb.summary()).toMatch(/^[A-Z].{5,}[^.]$/);
    for (const { long, description } of verb.options)
      expect([long, description[0]]).toEqual([long, description[0]?.toUpperCase()]);
    expect(verb.description()).toMatch(/^[A-Z].{10,}\.$/s);
  });

  test("explains up to six relevant global flags in its help, and names the topic with the others", async () => {
    const { stdout } = await runMain([...name.split(" "), "--help"], { environment: { COLUMNS: "100" } });
    const [, inherited = ""] = /\nINHERITED FLAGS\n([^]*?)\n\n[A-Z]/.exec(stdout) ?? [];
    const explained = [...inherited.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)(?: [<[]| {2})/gm)].map(
      ([, flag]) => flag,
    );
    const isAboutNothing = ["auth switch", "sandbox run", "completion", "help"].includes(name);
    expect([name, explained.length]).toEqual([
      name,
      expect.toBeOneOf(isAboutNothing ? [0] : [1, 2, 3, 4, 5, 6]),
    ]);
    const flags = (verb.parent?.parent ?? verb.parent)?.options ?? [];
    // Its own flags replace global flags of the same name.
    const own = flags.filter(({ long }) => verb.options.some((option) => option.long === long));
    const others = flags.length - 1 - own.length - explained.length;
    expect(inherited.replaceAll(/\s+/g, " ")).toContain(
      `Run \`grantctl help flags\` for ${isAboutNothing ? `all ${others} inherited flags` : `${others} others`}, such as --`,
    );
    const needed = [
      ...(/ (?:delete|revoke|revoke-grant|reset|rotate)$/.test(name) ? ["--yes"] : []),
      ...(/ (?:list|view)$/.test(name) ? ["--json", "--jq"] : []),
    ];
    expect(explained).toEqual(expect.arrayContaining(needed));
  });

  test("explains every flag and argument", () => {
    for (const option of verb.options) expect([option.flags, option.description]).not.toContain("");
    for (const argument of verb.registeredArguments) {
      expect([argument.name(), argument.description]).not.toContain("");
    }
  });

  test("has examples, and each of them parses", async () => {
    const { stdout } = await runMain([...name.split(" "), "--help"], { columns: 300 });
    const examples = helpPartsOf(verb).examples;
    expect(examples.some((line) => line.includes(`grantctl ${name}`))).toBe(true);
    for (const example of examples) {
      // Help prints it on one line or continues it after a backslash.
      expect(stdout.replaceAll(/ \\\n\s+/g, " ")).toContain(`\n  $ ${example}\n`);
      const commands = grantctlWords(example);
      expect(commands.length).toBeGreaterThan(0);
      for (const words of commands) {
        await expect(parseOnly(words)).resolves.toMatch(/^\S+(?: \S+)?$/);
      }
    }
  });
});

test.each(nouns.filter((noun) => !isAlone(noun)).map((noun) => [noun.name()]))(
  "%s without arguments prints its help and exits with 0",
  async (noun) => {
    const run = await runMain([noun]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(`USAGE\n  grantctl ${noun}`);
  },
);

test("prints the help and exits with 0 without any arguments", async () => {
  const run = await runMain([]);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toContain("USAGE\n  grantctl");
});

test.each([
  ["grants list", "grant list"],
  ["grants ls", "grant list"],
  ["grant ls", "grant list"],
  ["grant rm 1", "grant delete"],
  ["grant revoke 1", "grant delete"],
  ["authorizations list", "authorization list"],
  ["authz list", "authorization list"],
  ["authz ls", "authorization list"],
  ["authz rm 1", "authorization delete"],
  ["authz revoke 1", "authorization delete"],
  ["tokens check", "token check"],
  ["token rm", "token revoke"],
  ["token delete", "token revoke"],
])("%s resolves to %s", async (typed, meant) => {
  await expect(parseOnly(typed.split(" "))).resolves.toBe(meant);
});

test.each([
  [["nosuch"], "nosuch"],
  [["grant", "nosuch"], "nosuch"],
  [["grant", "lst"], "You may have meant"],
  [["grant", "list", "surplus"], "too many arguments"],
  [["grant", "view"], "id"],
  [["grant", "view", "1", "2"], "too many arguments"],
  [["authorization", "create"], "--note"],
  [["grant", "list", "--format", "xml"], "--format"],
  [["grant", "list", "--limit", "0"], "--limit"],
  [["grant", "list", "--limit", "-1"], "--limit"],
  [["grant", "list", "--limit", "1.5"], "--limit"],
  [["grant", "list", "--concurrency", "0"], "--concurrency"],
  [["grant", "list", "--timeout", "0"], "--timeout"],
  [["grant", "list", "--timeout", "1e3"], "--timeout"],
  [["grant", "list", "--timeout", "99999999"], "--timeout"],
  [["grant", "list", "--format", "csv", "--limit", "x"], "--limit"],
  [["grant", "list", "--otp", "12 34"], "one-time password"],
  [["grant", "list", "--client-id", "short"], "20 characters"],
] as const)("rejects %j with a one-line usage error before any request", async (words, mentioned) => {
  const server = await startRecordingServer(() => ({
    status: 401,
    headers: { "X-Service-OTP": "required; app" },
    body: { message: "otp" },
  }));
  const run = await server.run(words);
  expect(run.code).toBe(2);
  expect(run.stdout).toBe("");
  expect(run.stderr).toContain(mentioned);
  expect(run.stderr).toMatch(/^grantctl: [^\n]+\n(hint: [^\n]+\n)?$/);
  expect(server.requests).toEqual([]);
});

test.each(["nosuch", "id,nosuch", ",", "__proto__", "constructor"])(
  "--json %s reports the available fields as JSON before any request",
  async (fields) => {
    const server = await startRecordingServer();
    const { code, stdout, stderr } = await server.run(["grant", "list", "--json", fields]);
    expect([code, stdout, server.lines()]).toEqual([2, "", []]);
    const { error } = JSON.parse(stderr) as { error: { hint: string } };
    expect(error).toMatchObject({ class: "usage", exit_code: 2, status: null });
    expect(error.hint).toMatch(/\bid\b.*\bapp\.name\b.*\bscopes\b/);
  },
);

/** Parses without running anything; resolves with the parsed noun and verb. */
async function parseOnly(words: readonly string[]): Promise<string> {
  const parsing = await createWholeProgram();
  let understood = "";
  for (const noun of parsing.commands) {
    if (isAlone(noun)) {
      noun.action(() => {
        understood = noun.name();
      });
    }
    for (const verb of noun.commands) {
      verb.action(() => {
        understood = `${noun.name()} ${verb.name()}`;
      });
    }
  }
  await parsing.parseAsync([...words], { from: "user" });
  expect(understood).not.toBe("");
  return understood;
}
