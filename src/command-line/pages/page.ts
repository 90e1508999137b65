// The parts of a page of help, which is shown on a terminal, as a manual page and in docs/. Each of those has its own
// renderer.

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

export interface Page {
  /** As in `grantctl grant list`, or `exit-codes` for a topic. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** How a command is typed; null for a topic. */
  readonly usage: string | null;
  readonly sections: readonly Section[];
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
