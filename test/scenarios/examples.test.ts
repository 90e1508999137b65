// Runs every example of every command unchanged, in a new environment, and expects exit code 0: with bash and
// the built program, or in this process if it needs only quotes, pipes and files of a shell.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { createWholeProgram, examplesOf, grantctlWords } from "../support/whole-program.ts";
import { makeExampleWorld } from "../support/example-world.ts";
import { noTerminalReason, runOnTerminal } from "../support/terminal.ts";
import { runMain } from "../support/test-host.ts";

/** Examples that cannot run here, with the reason. Another test parses all examples. */
const notRun: Readonly<Record<string, string>> = {
  "grantctl auth login --server-type github --base-url ghe.example.com": "nobody is at that address",
  "grantctl auth login --app --proof-token-file active.txt": "it needs a keychain",
  "grantctl authorization run --env GH_TOKEN -- gh release create v1.0": "it needs gh",
  "grantctl auth login --app --server-type oauth --base-url https://sso.example.com --client-id app":
    "nobody is at that address",
  "grantctl token report --server-type github --base-url https://api.github.com < leaked.txt":
    "it would report tokens to github.com",
  "grantctl recover end 20260131-120000-a1b2c3": "it takes a run that was killed; its --all runs here",
  "grantctl audit --compare audit.json": "it reads what another example writes",
  "grantctl auth login --with-token < token.txt": "it needs a keychain",
  "grantctl sandbox code --base-url http://127.0.0.1:8080": "the port may be somebody else's",
  "grantctl sandbox tokens --count 10 --base-url http://127.0.0.1:8080": "the port may be somebody else's",
};

/** Commands that prompt for confirmation. */
const asking = [
  "grantctl grant delete 42",
  "grantctl authorization delete 42",
  "grantctl token reset --output-file new.txt < leaked.txt",
  "grantctl recover forget 20260131-120000-a1b2c3",
];

/** Commands that show a pick list. */
const picking = [
  "grantctl grant delete",
  "grantctl grant delete --not-updated-for 1y",
  "grantctl authorization delete",
  "grantctl authorization delete --not-updated-for 1y",
];

/** A command that runs until it is stopped. */
const endless = /^grantctl sandbox start/;

/** A pipeline of grantctl commands; the first may read a file, the last may write one. */
const plainWord = String.raw`(?:[\w.,:/=@*{}[\]-]+|'[^']*'|"[^"$]*")`;
const plainCommand = `grantctl(?: ${plainWord})+`;
const plainLine = new RegExp(
  `^${plainCommand}(?: < (?<from>[\\w.-]+))?(?: \\| ${plainCommand})*(?: > [\\w.-]+)?$`,
);

/** True if the line can run in this process: it starts no sandbox, and runs no command with a token. */
const isPlain = (line: string): boolean => plainLine.test(line) && !/ (?:code|run)\b/.test(line);

const program = await createWholeProgram();
const all = (command: Command): readonly string[] => [
  ...examplesOf(command),
  ...command.commands.flatMap(all),
];
const examples = [...new Set(all(program))];
const left = examples.filter(
  (line) => notRun[line] === undefined && ![...asking, ...picking].includes(line) && !endless.test(line),
);

test("the exceptions name existing examples", () => {
  expect(examples).toEqual(expect.arrayContaining([...Object.keys(notRun), ...asking, ...picking]));
});

const plain = left.filter(isPlain);

test.each(plain)("%s", async (line) => {
  const world = await makeExampleWorld();
  const before = process.cwd();
  process.chdir(world.folder);
  try {
    if (line.includes(" recover ")) await world.leaveValue();
    const from = plainLine.exec(line)?.groups?.["from"];
    let input = from === undefined ? "" : readFileSync(join(world.folder, from), "utf8");
    for (const words of grantctlWords(line)) {
      const run = await runMain(words, {
        environment: world.environment,
        childEnvironment: world.environment,
        input,
      });
      expect([words, run.code, run.stderr]).toEqual([words, 0, expect.not.stringContaining("grantctl: ")]);
      input = run.stdout;
    }
  } finally {
    process.chdir(before);
    await world.close();
  }
});

/** Runs an example with bash in a new environment. */
async function endByShell(line: string): Promise<readonly [code: number | null, stderr: string]> {
  const world = await makeExampleWorld();
  try {
    if (line.includes(" recover ")) await world.leaveValue();
    const { code, stderr } = await world.run(line);
    return [code, stderr];
  } finally {
    await world.close();
  }
}

test.concurrent.each(left.filter((line) => !isPlain(line)))("%s", async (line) => {
  expect(await endByShell(line)).toEqual([0, expect.not.stringContaining("grantctl: ")]);
});

test.skipIf(noTerminalReason !== null).each(asking)("%s, confirmed with yes", async (line) => {
  const world = await makeExampleWorld();
  onTestFinished(() => world.close());
  if (line.includes(" recover ")) await world.leaveValue();
  const { code, text } = await runOnTerminal(line, [{ when: /\?/, type: "y\r" }], world.environment);
  expect([code, text]).toEqual([0, expect.not.stringContaining("grantctl: ")]);
});

test.skipIf(noTerminalReason !== null).each(picking)("%s, with the first item selected", async (line) => {
  const world = await makeExampleWorld();
  onTestFinished(() => world.close());
  const steps = [
    { when: /Select /, type: " \r" },
    { when: /\(y\/N\)/, type: "y\r" },
  ];
  const { code, text } = await runOnTerminal(line, steps, world.environment);
  expect([code, text]).toEqual([0, expect.stringMatching(/deleted +\d/)]);
  expect(text).not.toContain("grantctl: ");
});

test.each(examples.filter((line) => endless.test(line)))("%s, then stopped", async (line) => {
  const world = await makeExampleWorld();
  onTestFinished(() => world.close());
  const untilStopped = "until grep -q http out; do sleep 0.1; done; kill $!; wait $!";
  const run = await world.run(`${line} > out & ${untilStopped}`);
  expect([run.code, run.stderr]).toEqual([143, expect.not.stringContaining("grantctl: ")]);
});
