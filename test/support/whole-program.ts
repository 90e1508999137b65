// The program with every command and all flags. It runs nothing.
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
