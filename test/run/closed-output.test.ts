// With a standard output that the shell closed (`>&-`), commands that print a result are rejected before anything is
// sent.
import { expect, test } from "vitest";
import { createWholeProgram } from "../../src/program.ts";
import { exampleOf } from "../support/example-words.ts";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

/** Commands that run with a closed standard output although they have an output. With JSON they are rejected. */
const alsoWithout = new Set(["auth login", "sandbox start"]);

/** Commands that print nothing on standard output. */
const silent = new Set([
  "auth logout",
  "auth switch",
  "config set",
  "config unset",
  "recover end",
  "recover forget",
]);

const { commands: nouns } = await createWholeProgram();
/** All commands but those whose output is another program's. */
const commands = nouns
  .flatMap((noun) =>
    noun.commands.length === 0 ? [noun.name()] : noun.commands.map((verb) => `${noun.name()} ${verb.name()}`),
  )
  .filter((name) => !name.endsWith(" run"));

/** An example from the command's help, without flags that redirect the result. */
async function lineOf(command: string): Promise<readonly string[]> {
  const words = await exampleOf(command);
  return words.filter((word, index) => word !== "--output-file" && words[index - 1] !== "--output-file");
}

const isRefused = /standard output is closed, so the result would be lost/;

test.each(commands.filter((name) => !silent.has(name)))(
  "%s is rejected before anything is sent",
  async (command) => {
    const server = await startRecordingServer();
    const flags = alsoWithout.has(command) ? ["--format", "ndjson"] : [];
    const words = [...(await lineOf(command)), ...flags];
    const input = "0".repeat(40);
    const run = await server.run(words, { input, isClosed: true });
    // `help` and `completion` have already written.
    const written = ["help", "completion"].includes(command) ? run.stdout : "";
    expect([run.code, run.stdout, run.stderr, server.lines()]).toEqual([
      2,
      written,
      expect.stringMatching(isRefused),
      [],
    ]);
  },
);

test.each([...silent])("%s prints nothing, and is not rejected", async (command) => {
  const server = await startRecordingServer();
  const run = await server.run(await lineOf(command), { isClosed: true });
  expect(run.stderr).not.toMatch(isRefused);
});

test.each([
  [["authorization", "create", "--note", "n", "--to-command", "true"]],
  [["authorization", "create", "--note", "n", "--output-file", "/nonexistent/folder/file"]],
  [["token", "reset", "--yes", "--to-command", "true"]],
  [["audit", "--output-file", "/nonexistent/folder/file"]],
  [["audit", "--fail-on", "new"]],
  [["api", "-X", "DELETE", "/authorizations/1"]],
])("%j writes its result elsewhere, and is not rejected", async (words) => {
  const server = await startRecordingServer();
  const run = await server.run(words, { input: "0".repeat(40), isClosed: true });
  expect(run.stderr).not.toMatch(isRefused);
});

test.each([[["--version"]], [["--help"]], [["grant", "--help"]]])("%j exits with 0", async (words) => {
  expect((await runMain(words, { isClosed: true })).code).toBe(0);
});
