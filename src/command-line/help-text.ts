// Renders a help page as text, in the layout of gh: the description, then sections under headings in capitals.
//
// No line is wider than the window, unless a single word is. Names and texts stand side by side if both fit; otherwise
// the text stands below its name. Command lines are broken with backslashes, so that they can be pasted.
import { styleText } from "node:util";
import { fillLines } from "../drawing/text-width.ts";
import type { HelpPage } from "./help-page.ts";
import { section, type Block, type Section, type Term } from "./help-sections.ts";

/** The widest first column; a longer name has its text on the next line. */
const widestName = 26;
/** The narrowest second column that is readable. */
const narrowestText = 30;
const indent = "  ";

/** Renders the page, with bold headings if colours are on; ends with a line break. */
export function renderText(page: HelpPage, columns: number, hasColours: boolean): string {
  const heading = (text: string): string =>
    hasColours ? styleText("bold", text, { validateStream: false }) : text;
  const nameColumn = nameColumnOf(page, columns);
  const rendered = page.sections.map((each) => sectionLines(each, columns, nameColumn, heading));
  const usage = page.usage === null ? [] : [sectionLines(section("Usage", page.usage), columns, 0, heading)];
  const [description = [], ...rest] = rendered;
  return `${[description, ...usage, ...rest].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** The width of this page's first column; 0 if the texts stand below the names. */
function nameColumnOf(page: HelpPage, columns: number): number {
  const names = page.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === "terms" ? block.terms : []))
    .map(({ name }) => name.length)
    .filter((length) => length <= widestName);
  const width = Math.max(0, ...names);
  return columns - indent.length * 2 - width < narrowestText ? 0 : width;
}

function sectionLines(
  { heading: title, blocks }: Section,
  columns: number,
  nameColumn: number,
  heading: (text: string) => string,
): readonly string[] {
  const own = title === null ? "" : indent;
  const lines = blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : [""]),
    ...blockLines(block, columns - own.length, nameColumn).map((line) => (line === "" ? "" : own + line)),
  ]);
  return title === null ? lines : [...wrap(title.toUpperCase(), columns).map(heading), ...lines];
}

function blockLines(block: Block, width: number, nameColumn: number): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return wrap(block.text, width);
    case "names":
      return wrap(block.names.join(", "), width);
    case "examples":
      return block.lines.flatMap((line) => exampleLines(line, width));
    case "terms":
    default:
      return block.terms.flatMap((term) => termLines(term, width, nameColumn));
  }
}

function termLines({ name, text }: Term, width: number, nameColumn: number): readonly string[] {
  if (nameColumn === 0) return [...wrap(name, width), ...wrap(text, width - 4).map((line) => `    ${line}`)];
  const left = nameColumn + indent.length;
  const lines = wrap(text, width - left);
  const [first = "", ...rest] = lines;
  const below = (more: readonly string[]): string[] => more.map((line) => " ".repeat(left) + line);
  if (name.length > nameColumn) return [...wrap(name, width), ...below(lines)];
  return [name.padEnd(left) + first, ...below(rest)];
}

/** A command line, with backslash continuations if it is too long. */
function exampleLines(line: string, width: number): readonly string[] {
  const quotedWords = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  const isShort = line.length + 2 <= width;
  const lines = isShort ? [line] : fillLines(line.match(quotedWords) ?? [], width - 6);
  const last = lines.length - 1;
  return lines.map((part, index) => `${index === 0 ? "$ " : "    "}${part}${index === last ? "" : " \\"}`);
}

function wrap(text: string, width: number): readonly string[] {
  return fillLines(text.split(" "), width);
}
