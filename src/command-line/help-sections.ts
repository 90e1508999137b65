// What a command's help says besides its flags, between them and the examples. Commander's own addHelpText would be
// beyond the reach of manual pages and docs/, and as wide as it was typed.
import type { Command } from "commander";
import type { Section } from "./pages/page.ts";

const key = Symbol("help sections");

interface WithSections {
  readonly [key]?: readonly Section[];
}

/** Gives a command one more section; returns the command. */
export function addHelpSection(command: Command & WithSections, section: Section): Command {
  return Object.assign(command, { [key]: [...helpSectionsOf(command), section] } satisfies WithSections);
}

/** The sections that a command was given. */
export function helpSectionsOf(command: Command & WithSections): readonly Section[] {
  return command[key] ?? [];
}
