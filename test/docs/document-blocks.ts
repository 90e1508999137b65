// The code blocks of a Markdown page, with the instructions in the comments before them (docs/development.md).
import { expect } from "vitest";

/** The valid comments before a block: `<!-- exit: 3 -->`. */
const markNames = ["not run", "needs", "answers", "exit", "leaves"] as const;

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Page and line, for the title of the test. */
  readonly place: string;
  readonly marks: Readonly<Partial<Record<(typeof markNames)[number], string>>>;
}

const fence = /^( *)```(\S*)[^\n]*\n(.*?)^\1```$/gms;
const mark = /^ *<!-- ([a-z ]+): (.+) -->$/;

/** Reads the blocks of a page, in order. Throws for an unknown comment. */
export function readBlocks(page: string, text: string): readonly Block[] {
  return [...text.matchAll(fence)].map(({ 1: indent = "", 2: language = "", 3: body = "", index }) => {
    const before = text.slice(0, index).split("\n").slice(0, -1);
    const marks: Partial<Record<(typeof markNames)[number], string>> = {};
    for (let line = before.length - 1; line >= 0; line -= 1) {
      if (before[line] === "") continue;
      const [, name = "", value = ""] = mark.exec(before[line] ?? "") ?? [];
      if (name === "") break;
      expect(markNames, `${page}:${line + 1}`).toContain(name);
      marks[name as (typeof markNames)[number]] = value;
    }
    return {
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      place: `${page}:${before.length + 1}`,
      marks,
    };
  });
}
