// `grantctl help`: the same text by each way, its width, and that the topics are complete. Layouts are in
// test/scripts/settings/help.txt.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { topics } from "../../../src/command-line/topics.ts";
import { commandEntries } from "../../../src/commands/index.ts";
import { exitCodeOf, type FailureKind } from "../../../src/errors/errors.ts";
import { secretVariables } from "../../../src/host/host.ts";
import { createWholeProgram } from "../../../src/program.ts";
import { runMain } from "../../support/test-host.ts";

const plain = { NO_COLOR: "1" };

test.each([
  ["", "--help"],
  ["help", "--help"],
  ["grant", "grant --help"],
  ["help grant", "grant --help"],
  ["help authz ls", "authorization list --help"],
  ["help api", "api --help"],
  ["help help", "help --help"],
  ["grant help list", "grant list --help"],
  ["grant help", "grant --help"],
])("'%s' prints the same as %s", async (typed, meant) => {
  const first = await runMain(typed.split(" ").filter((word) => word !== ""));
  expect(first).toEqual(await runMain(meant.split(" ")));
  expect(first).toMatchObject({ code: 0, stderr: "" });
});

test("headings are bold on a terminal, and plain in a pipe or without colours", async () => {
  const bold = "\u001b[1mUSAGE\u001b[22m\n  grantctl";
  expect((await runMain(["grant", "list", "--help"], { columns: 80 })).stdout).toContain(bold);
  expect((await runMain(["help", "security"], { columns: 80 })).stdout).toContain("\u001b[1m");
  for (const run of [
    runMain(["--help"]),
    runMain(["help", "security"]),
    runMain(["--help"], { columns: 80, environment: plain }),
    runMain(["--help", "--no-color"], { columns: 80 }),
  ])
    expect((await run).stdout).not.toContain("\u001b");
});

test("the program's help names every command and topic, within 24 lines of 80 columns", async () => {
  const { stdout } = await runMain([], { columns: 80, environment: plain });
  expect(stdout.split("\n").length).toBeLessThanOrEqual(24);
  for (const { name } of [...topics, ...commandEntries]) expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
});

test.each([
  ["COLUMNS in a pipe", { environment: { ...plain, COLUMNS: "50" } }, 50],
  ["a useless COLUMNS", { environment: { ...plain, COLUMNS: "wide" } }, 80],
  ["the terminal of standard error", { errorColumns: 60, environment: plain }, 60],
  ["a terminal, whatever COLUMNS is", { columns: 70, environment: { ...plain, COLUMNS: "50" } }, 70],
])("help is as wide as %s", async (_, world, width) => {
  const { stdout } = await runMain(["help", "security"], world);
  const longest = Math.max(...stdout.split("\n").map((line) => line.length));
  expect([longest <= width, longest > width - 10]).toEqual([true, true]);
});

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

const topicText = async (name: string): Promise<string> => oneLine((await runMain(["help", name])).stdout);

test("two topics have every command and every global flag with its summary", async () => {
  const program = await createWholeProgram();
  const leaves = program.commands.flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands));
  const [commands, flags] = [await topicText("commands"), await topicText("flags")];
  for (const leaf of leaves) expect(commands).toContain(oneLine(leaf.summary()));
  for (const option of program.options)
    expect(flags).toContain(oneLine(`${option.flags} ${option.description}`));
});

const kinds =
  "unknown undelivered incomplete internal protocol network rate-limited sso otp authentication not-found usage exists refused";

test("every class of failure is in the topic with its exit code", async () => {
  const { stdout } = await runMain(["help", "exit-codes"]);
  for (const kind of kinds.split(" "))
    expect(stdout).toMatch(new RegExp(`^  ${exitCodeOf(kind as FailureKind)} ${kind} +\\S`, "m"));
});

test("every environment variable that the sources read is explained, and which are removed", async () => {
  const src = fileURLToPath(new URL("../../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const read = new Set(sources.flatMap((text) => text.match(/\bGRANTCTL_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
  // The bundler replaces it; it is no environment variable.
  read.delete("GRANTCTL_VERSION");
  expect(read.size).toBeGreaterThan(10);
  const { stdout } = await runMain(["help", "environment"]);
  const explained = [...stdout.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name);
  expect(explained).toEqual(expect.arrayContaining([...read]));
  const told = /\bSECRETS\n\s+([^]*?) are\s+removed/.exec(stdout)?.[1] ?? "";
  expect(told.match(/GRANTCTL_[A-Z_]+/g)?.toSorted()).toEqual(secretVariables.toSorted());
});
