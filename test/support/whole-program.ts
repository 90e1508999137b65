// The program with every command, and the examples of its help. Nothing runs.
import type { Command } from "commander";
import { createParser } from "../../src/program.ts";
import { createTestHost } from "./test-host.ts";

export async function createWholeProgram(): Promise<Command> {
  const { host } = createTestHost({ columns: 100 });
  const { program, commands } = createParser(
    host,
    () => undefined,
    () => Promise.resolve(),
  );
  for (const noun of program.commands) {
    await commands.define(noun);
    for (const verb of noun.commands) await commands.define(verb);
  }
  return program;
}

/** The arguments of each `grantctl` in a shell line, up to a pipe, a redirection or a parenthesis. */
export function grantctlWords(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [];
  let current: string[] | null = null;
  for (const [part, double, single, plain, operator] of line.matchAll(
    /"([^"]*)"|'([^']*)'|([^\s"'|<>()&;]+)|([|<>()&;]+)/g,
  )) {
    if (operator !== undefined) current = null;
    else if (part === "grantctl" && current === null) commands.push((current = []));
    else current?.push(double ?? single ?? plain ?? "");
  }
  return commands;
}

/** The examples in the help of a command. */
export function examplesOf(command: Command): readonly string[] {
  let page = "";
  command.configureOutput({ writeOut: (text) => void (page += text) }).outputHelp();
  return [...page.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = ""]) => line);
}

/** A valid command line: the command's example with the fewest words. */
export async function exampleOf(command: string): Promise<readonly string[]> {
  const path = command.split(" ");
  const found = path.reduce<Command | undefined>(
    (parent, name) => parent?.commands.find((child) => child.name() === name),
    await createWholeProgram(),
  );
  const [shortest] = (found === undefined ? [] : examplesOf(found))
    .flatMap(grantctlWords)
    // Another command may run it: `grantctl sandbox run -- grantctl sandbox code`.
    .map((words) => words.slice(words.lastIndexOf("grantctl") + 1))
    .filter((words) => words.slice(0, path.length).join(" ") === command)
    .toSorted((one, other) => one.length - other.length);
  if (shortest === undefined) throw new Error(`${command} has no example`);
  return shortest;
}
