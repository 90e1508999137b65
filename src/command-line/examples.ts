// The examples of a command: command lines that work as they stand.
import type { Command } from "commander";

const key = Symbol("examples");

interface WithExamples {
  readonly [key]?: readonly string[];
}

export function addExamples(command: Command, lines: readonly string[]): void {
  Object.assign(command, { [key]: lines } satisfies WithExamples);
}

export function examplesOf(command: Command & WithExamples): readonly string[] {
  return command[key] ?? [];
}
