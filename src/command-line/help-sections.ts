// The sections of a command's help between its flags and its examples. Commander's addHelpText would not do: manual
// pages and docs/ could not read it, and it is never wrapped.
import type { Command } from "commander";
import type { Section } from "./pages/page.ts";

const key = Symbol("help sections");

interface WithSections {
  readonly [key]?: readonly Section[];
}

/** Adds a section behind those that the command has. */
export function addHelpSection(command: Command & WithSections, section: Section): Command {
  return Object.assign(command, { [key]: [...helpSectionsOf(command), section] } satisfies WithSections);
}

/** The sections of a command, in the order in which they were added. */
export function helpSectionsOf(command: Command & WithSections): readonly Section[] {
  return command[key] ?? [];
}
