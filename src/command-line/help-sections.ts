// The parts of help that a command contributes: examples, and sections between its flags and its examples. They are data
// and not text, because a terminal, a manual page and docs/ each render them. That rules out commander's addHelpText.
import type { Command } from "commander";

/** A name and what it means: a flag, an argument, a command, a variable, an exit code. */
export interface Term {
  readonly name: string;
  readonly text: string;
}

export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "terms"; readonly terms: readonly Term[] }
  /** Command lines of a shell, to paste. */
  | { readonly kind: "examples"; readonly lines: readonly string[] }
  | { readonly kind: "names"; readonly names: readonly string[] };

/** Blocks under a heading; one without a heading stands at the top. */
export interface Section {
  readonly heading: string | null;
  /** Where to read more, shown after the heading. */
  readonly note?: string;
  readonly blocks: readonly Block[];
}

/** A block of names, each with its explanation. */
export function terms(entries: readonly (readonly [name: string, text: string])[]): Block {
  return { kind: "terms", terms: entries.map(([name, text]) => ({ name, text })) };
}

/** A block of command lines. */
export function examples(...lines: readonly string[]): Block {
  return { kind: "examples", lines };
}

/** A text among the blocks is a paragraph. */
export function section(heading: string | null, ...blocks: readonly (Block | string)[]): Section {
  return {
    heading,
    blocks: blocks.map((block) => (typeof block === "string" ? { kind: "paragraph", text: block } : block)),
  };
}

const examplesKey = Symbol("examples");

interface WithExamples {
  readonly [examplesKey]?: readonly string[];
}

/** Gives a command its examples, in place of any that it has. */
export function addExamples(command: Command, lines: readonly string[]): void {
  Object.assign(command, { [examplesKey]: lines } satisfies WithExamples);
}

/** The examples of a command; none unless it was given some. */
export function examplesOf(command: Command & WithExamples): readonly string[] {
  return command[examplesKey] ?? [];
}

const sectionsKey = Symbol("help sections");

interface WithSections {
  readonly [sectionsKey]?: readonly Section[];
}

/** Adds a section behind those that the command has. */
export function addHelpSection(command: Command & WithSections, added: Section): Command {
  return Object.assign(command, {
    [sectionsKey]: [...helpSectionsOf(command), added],
  } satisfies WithSections);
}

/** The sections of a command, in the order in which they were added. */
export function helpSectionsOf(command: Command & WithSections): readonly Section[] {
  return command[sectionsKey] ?? [];
}
