// Help pages: the same text by each way, colours and width, and that the topics are complete. docs/reference.md has every page.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { topics } from "../../../src/command-line/topics.ts";
import { exitCodeOf, type FailureKind } from "../../../src/errors/errors.ts";
import { createWholeProgram } from "../../support/whole-program.ts";
import { runMain } from "../../support/test-host.ts";

test.each([
  ["", "--help"],
  ["help", "--help"],
  ["help grant", "grant --help"],
  ["grant", "grant --help"],
  ["help authz ls", "authorization list --help"],
  ["help help", "help --help"],
])("'%s' prints the same as %s", async (typed, meant) => {
  const first = await runMain(typed.split(" ").filter((word) => word !== ""));
  expect(first).toEqual(await runMain(meant.split(" ")));
  expect(first).toMatchObject({ code: 0, stderr: "" });
});

test("headings are bold on a terminal, and plain in a pipe or without colours", async () => {
  for (const words of [
    ["grant", "list", "--help"],
    ["help", "flags"],
  ]) {
    expect((await runMain(words, { columns: 80 })).stdout).toContain("\u001b[1m");
    expect((await runMain(words)).stdout).not.toContain("\u001b");
    expect((await runMain([...words, "--no-color"], { columns: 80 })).stdout).not.toContain("\u001b");
    const environment = { NO_COLOR: "1" };
    expect((await runMain(words, { columns: 80, environment })).stdout).not.toContain("\u001b");
  }
});

test.each([
  [null, 80],
  [70, 70],
  [300, 100],
])("with %s columns, help has at most %i", async (columns, most) => {
  for (const words of ["help environment", "token revoke --help", "audit --help"]) {
    const { stdout } = await runMain(words.split(" "), { columns, environment: { NO_COLOR: "1" } });
    const wrapped = stdout.split("\n").filter((line) => !line.startsWith("  $ "));
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(most);
  }
});

const topicText = async (name: string): Promise<string> =>
  (await runMain(["help", name])).stdout.replaceAll(/\s+/g, " ");

test("a topic has every global flag with its summary", async () => {
  const [program, text] = [await createWholeProgram(), await topicText("flags")];
  for (const { flags, description } of program.options) expect(text).toContain(`${flags} ${description}`);
});

const kinds =
  "unknown undelivered incomplete internal protocol network rate-limited sso otp authentication not-found usage exists refused";

test("every class of failure is in the topic with its exit code", async () => {
  const text = await topicText("exit-codes");
  for (const kind of kinds.split(" ")) expect(text).toContain(` ${exitCodeOf(kind as FailureKind)} ${kind} `);
});

test("every environment variable that the sources read is explained", async () => {
  const src = fileURLToPath(new URL("../../../src", import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(src, file), "utf8"));
  const read = new Set(sources.flatMap((text) => text.match(/\bGRANTCTL_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
  // The bundler replaces it; it is no environment variable.
  read.delete("GRANTCTL_VERSION");
  expect(read.size).toBeGreaterThan(10);
  const explained = (await topicText("environment")).match(/GRANTCTL_[A-Z_]+/g);
  expect(explained).toEqual(expect.arrayContaining([...read]));
});

test("an unknown name is an error, and one that may be a token is not repeated", async () => {
  const token = "Zk3vQ9xLmP7rT2wY8bN4cH6jD1fG5sA0eU3iO9kq";
  for (const words of ["help nosuch", "help grant nosuch", "help flags nosuch", `help ${token}`]) {
    const { code, stdout, stderr } = await runMain(words.split(" "));
    expect([code, stdout, stderr]).toEqual([2, "", expect.not.stringContaining(token)]);
  }
  expect(Object.keys(topics)).toEqual(["flags", "exit-codes", "environment", "formatting"]);
});
