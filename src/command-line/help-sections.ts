// The parts of help that a command contributes: examples, and sections between its flags and its examples.
//
// They are data, because their layout depends on the width of the window. This rules out commander's addHelpText.
import type { Command } from "commander";

/** A name and what it means: a flag, an argument, a command, a variable, an exit code. */
export interface Term {
  readonly name: string;
  readonly text: string;
}

export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "terms"; readonly terms: readonly Term[] }
  /** Shell command lines to paste. */
  | { readonly kind: "examples"; readonly lines: readonly string[] }
  | { readonly kind: "names"; readonly names: readonly string[] };

/** Blocks under a heading; one without a heading stands at the top. */
export interface Section {
  readonly heading: string | null;
  readonly blocks: readonly Block[];
}

export function terms(texts: Readonly<Record<string, string>>): Block {
  return { kind: "terms", terms: Object.entries(texts).map(([name, text]) => ({ name, text })) };
}

/** Creates a section; a string becomes a paragraph. */
export function section(heading: string | null, ...blocks: readonly (Block | string)[]): Section {
  return {
    heading,
    blocks: blocks.map((block) => (typeof block === "string" ? { kind: "paragraph", text: block } : block)),
  };
}

export function exampleSection(...lines: readonly string[]): Section {
  return section("Examples", { kind: "examples", lines });
}

interface HelpParts {
  readonly examples: readonly string[];
  /** The global flags that it explains, as in `--yes`. */
  readonly inherited: readonly string[];
  /** The fields of its JSON, which `--json` takes; empty if it has no JSON of its own. */
  readonly fields: readonly string[];
  /** Sections between its flags and its examples, in the order in which they were added. */
  readonly sections: readonly Section[];
}

const partsKey = Symbol("help parts");

interface WithParts {
  readonly [partsKey]?: HelpParts;
}

export function helpPartsOf(command: Command & WithParts): HelpParts {
  return command[partsKey] ?? { examples: [], inherited: [], fields: [], sections: [] };
}

function changeParts(command: Command & WithParts, change: Partial<HelpParts>): Command {
  return Object.assign(command, { [partsKey]: { ...helpPartsOf(command), ...change } } satisfies WithParts);
}

export function addExamples(command: Command, lines: readonly string[]): void {
  changeParts(command, { examples: lines });
}

/** Adds global flags to the ones that a command's help explains. */
export function explainInherited(command: Command, ...flags: readonly string[]): Command {
  return changeParts(command, { inherited: [...helpPartsOf(command).inherited, ...flags] });
}

/** Declares the fields of a command's JSON, for its help and for completion. */
export function printsFields(command: Command, fields: readonly string[]): Command {
  return changeParts(command, { fields });
}

export function addHelpSection(command: Command, added: Section): Command {
  return changeParts(command, { sections: [...helpPartsOf(command).sections, added] });
}
