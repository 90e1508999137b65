// `grantctl help`: commands, topics, their layout, and the accuracy of the topics.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { topics } from "../../../src/command-line/topics.ts";
import { commandEntries } from "../../../src/commands/index.ts";
import { exitCodeOf, type FailureKind } from "../../../src/errors/errors.ts";
import { secretVariables } from "../../../src/host/host.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { runMain } from "../../support/test-host.ts";

test.each([
  ["help", "--help"],
  ["help grant", "grant --help"],
  ["help grant list", "grant list --help"],
  ["help authz ls", "authorization list --help"],
  ["help api", "api --help"],
  ["help help", "help --help"],
  ["grant help list", "grant list --help"],
  ["grant help", "grant --help"],
])("%s prints the same as %s", async (typed, meant) => {
  const [first, second] = await Promise.all([runMain(typed.split(" ")), runMain(meant.split(" "))]);
  expect(first).toEqual(second);
  expect(first).toMatchObject({ code: 0, stderr: "" });
});

test("prints headings in bold on a terminal, and plain in a pipe or without colours", async () => {
  const bold = "\u001b[1mUSAGE\u001b[22m\n  grantctl";
  for (const words of [["grant", "list", "--help"], ["--help"]]) {
    expect((await runMain(words, { columns: 80 })).stdout).toContain(bold);
    expect((await runMain(words)).stdout).not.toContain("\u001b");
    const environment = { NO_COLOR: "1" };
    expect((await runMain(words, { columns: 80, environment })).stdout).not.toContain("\u001b");
    expect((await runMain([...words, "--no-color"], { columns: 80 })).stdout).not.toContain("\u001b");
  }
  expect((await runMain(["help", "security"], { columns: 80 })).stdout).toContain("\u001b[1m");
  expect((await runMain(["help", "security"])).stdout).not.toContain("\u001b");
});

test("prints items that are too wide for two columns on separate lines", async () => {
  const wide = await runMain(["grant", "--help"]);
  expect(wide.stdout).toContain("\n  list        List grants\n");
  const narrow = await runMain(["grant", "--help"], { columns: 40, environment: { NO_COLOR: "1" } });
  expect(narrow.stdout).toContain("\n  list\n      List grants\n");
});

test("continues a long example after a backslash, without breaking quoted words", async () => {
  const world = { columns: 60, environment: { NO_COLOR: "1" } };
  const { stdout } = await runMain(["authorization", "create", "--help"], world);
  expect(stdout).toContain(
    '  $ TOKEN=$(grantctl authorization create --note \\\n      "ci $(hostname)" --scope repo) || exit\n',
  );
});

test.each([null, 60, 200])(
  "prints the same help without arguments as with --help, in %j columns",
  async (columns) => {
    const alone = await runMain([], { columns });
    expect(alone).toEqual(await runMain(["--help"], { columns }));
    expect(alone.code).toBe(0);
  },
);

test("lists every command and topic in the program's help, within 24 lines of 80 columns", async () => {
  const world = { columns: 80, environment: { NO_COLOR: "1" } };
  const { stdout } = await runMain([], world);
  const lines = stdout.split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout.match(/^ {2}\$ grantctl /gm)).toHaveLength(3);
  for (const { name } of [...topics, ...commandEntries]) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
});

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

test("lists every command and every global flag with its summary in two topics", async () => {
  const [commands, flags] = await Promise.all([runMain(["help", "commands"]), runMain(["help", "flags"])]);
  const program = await createWholeProgram();

  const leaves = program.commands.flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands));
  for (const leaf of leaves) expect(oneLine(commands.stdout)).toContain(oneLine(leaf.summary()));
  for (const { flags: flag, description } of program.options)
    expect(oneLine(flags.stdout)).toContain(oneLine(`${flag} ${description}`));
});

test.each([
  ["a pipe", {}, 80],
  ["COLUMNS in a pipe", { environment: { COLUMNS: "50" } }, 50],
  ["a useless COLUMNS", { environment: { COLUMNS: "wide" } }, 80],
  ["the terminal of standard error", { errorColumns: 60 }, 60],
  ["a terminal, whatever COLUMNS is", { columns: 70, environment: { COLUMNS: "50" } }, 70],
] as const)("wraps help to the width of %s", async (_, world, width) => {
  const environment = { NO_COLOR: "1", ...("environment" in world ? world.environment : {}) };
  const { stdout } = await runMain(["help", "security"], { ...world, environment });
  const longest = Math.max(...stdout.split("\n").map((line) => line.length));
  expect(longest).toBeLessThanOrEqual(width);
  expect(longest).toBeGreaterThan(width - 10);
});

describe.each(topics.map(({ name }) => [name]))("the topic %s", (name) => {
  test.each([40, 60, 300])("fits in %i columns", async (columns) => {
    const { code, stdout } = await runMain(["help", name], { columns, environment: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    const tooWide = stdout.split("\n").filter((line) => line.length > Math.min(columns, 100));
    expect(tooWide.filter((line) => line.trim().includes(" "))).toEqual([]);
  });
});

test("lists every failure class with its exit code", async () => {
  const { stdout } = await runMain(["help", "exit-codes"]);
  const kinds: readonly FailureKind[] = [
    "unknown",
    "undelivered",
    "incomplete",
    "internal",
    "protocol",
    "network",
    "rate-limited",
    "sso",
    "otp",
    "authentication",
    "not-found",
    "usage",
    "exists",
    "refused",
  ];
  for (const kind of kinds) {
    expect(stdout).toMatch(new RegExp(`^  ${exitCodeOf(kind)} ${kind} +\\S`, "m"));
  }
});

test("explains every environment variable that the sources read", async () => {
  const src = fileURLToPath(new URL("../../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("command-line/pages"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const read = new Set(sources.flatMap((text) => text.match(/\bGRANTCTL_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
  // The bundler replaces it; it is no environment variable.
  read.delete("GRANTCTL_VERSION");
  expect(read.size).toBeGreaterThan(10);
  const { stdout } = await runMain(["help", "environment"]);
  const explained = new Set([...stdout.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name));
  for (const name of read) expect(explained).toContain(name);
});

test("lists exactly the variables that are removed from child processes", async () => {
  const { stdout } = await runMain(["help", "environment"]);
  const told = /\bSECRETS\n\s+([^]*?) are\s+removed/.exec(stdout)?.[1] ?? "";
  expect(told.match(/GRANTCTL_[A-Z_]+/g)?.toSorted()).toEqual(secretVariables.toSorted());
});
