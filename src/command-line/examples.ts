// The examples of a command: command lines that work as they stand.
import type { Command } from "commander";

const key = Symbol("examples");

interface WithExamples {
  readonly [key]?: readonly string[];
}

/** Gives a command its examples, in place of any that it has. */
export function addExamples(command: Command, lines: readonly string[]): void {
  Object.assign(command, { [key]: lines } satisfies WithExamples);
}

/** The examples of a command; none unless it was given some. */
export function examplesOf(command: Command & WithExamples): readonly string[] {
  return command[key] ?? [];
}
