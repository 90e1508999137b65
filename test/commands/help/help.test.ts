// `grantctl help`: commands, topics, how they are laid out, and that topics are true.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { topics } from "../../../src/command-line/topics.ts";
import { exitCodeOf, type FailureKind } from "../../../src/errors/errors.ts";
import { secretVariables } from "../../../src/host/host.ts";
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
])("%s is %s", async (typed, meant) => {
  const [first, second] = await Promise.all([runMain(typed.split(" ")), runMain(meant.split(" "))]);
  expect(first).toEqual(second);
  expect(first).toMatchObject({ code: 0, stderr: "" });
});

test("headings are bold on a terminal, and plain in a pipe and where nobody wants colours", async () => {
  const bold = "\u001b[1mUsage:\u001b[22m grantctl";
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

test("what is too wide for two columns stands one below the other", async () => {
  const wide = await runMain(["grant", "--help"]);
  expect(wide.stdout).toContain("\n  list        list the grants\n");
  const narrow = await runMain(["grant", "--help"], { columns: 40, environment: { NO_COLOR: "1" } });
  expect(narrow.stdout).toContain("\n  list\n      list the grants\n");
});

test("an example that is too long goes on behind a backslash, and quoted words stay whole", async () => {
  const world = { columns: 60, environment: { NO_COLOR: "1" } };
  const { stdout } = await runMain(["authorization", "create", "--help"], world);
  expect(stdout).toContain(
    '  $ TOKEN=$(grantctl authorization create --note \\\n      "ci $(hostname)" --machine-fingerprint) || exit\n',
  );
});

test.each([null, 60, 200])(
  "the program alone shows its help as --help does, in %j columns",
  async (columns) => {
    const alone = await runMain([], { columns });
    expect(alone).toEqual(await runMain(["--help"], { columns }));
    expect(alone.code).toBe(0);
  },
);

test("the program's help lists every topic", async () => {
  const { stdout } = await runMain(["--help"]);
  for (const { name, summary } of topics) {
    expect(stdout).toContain(`  help ${name}`);
    expect(stdout).toContain(summary);
  }
});

describe.each(topics.map(({ name }) => [name]))("the topic %s", (name) => {
  test.each([40, 60, 300])("fits into %i columns", async (columns) => {
    const { code, stdout } = await runMain(["help", name], { columns, environment: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    const tooWide = stdout.split("\n").filter((line) => line.length > Math.min(columns, 100));
    expect(tooWide.filter((line) => line.trim().includes(" "))).toEqual([]);
  });
});

test("every class of failure stands among the exit codes, with its number", async () => {
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

test("every variable that is read anywhere is explained", async () => {
  const src = fileURLToPath(new URL("../../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("command-line/pages"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const read = new Set(sources.flatMap((text) => text.match(/\bGRANTCTL_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
  // Put in by the bundler, and read from nowhere.
  read.delete("GRANTCTL_VERSION");
  expect(read.size).toBeGreaterThan(10);
  const { stdout } = await runMain(["help", "environment"]);
  const explained = new Set([...stdout.matchAll(/^ {2}([A-Z_]+)\b/gm)].map(([, name]) => name));
  for (const name of read) expect(explained).toContain(name);
});

test("the variables that no child sees are those that are told", async () => {
  const { stdout } = await runMain(["help", "environment"]);
  const told = /\bSecrets:\n\s+([^]*?) are\s+taken out/.exec(stdout)?.[1] ?? "";
  expect(told.match(/GRANTCTL_[A-Z_]+/g)?.toSorted()).toEqual(secretVariables.toSorted());
});
