// The help page of a command, made from commander's own tables, and its lines for a terminal. It is the one source of
// --help, the manual pages and docs/. No line is wider than the window, unless a single word is. Names and texts stand
// side by side if both fit; otherwise the text stands below its name.
import type { Argument, Command, Option } from "commander";
import { lineageOf, programOf } from "./command.ts";
import { topics } from "./topics.ts";
import { capitalised } from "../errors/words.ts";
import {
  type Block,
  type Section,
  type Term,
  examples,
  examplesOf,
  helpSectionsOf,
  section,
  terms,
} from "./help-sections.ts";

export interface Page {
  /** As in `grantctl grant list`, or `exit-codes` for a topic. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** How a command is typed; null for a topic. */
  readonly usage: string | null;
  readonly sections: readonly Section[];
}

/** The heading of the flags that every command takes. */
export const globalFlags = "Global flags";
const defaultFlags = "Flags";
const defaultCommands = "Commands";

/** The page of a command that is defined; the program's page lists commands, topics and the global flags. */
export function commandPage(command: Command): Page {
  const name = nameOf(command);
  return {
    name,
    summary: command.summary(),
    usage: usageOf(command, name),
    sections: [
      section(null, asSentence(command.description())),
      ...aliasSection(command.aliases()),
      ...termSections(command.registeredArguments, () => "Arguments", argumentTerm),
      ...termSections(command.commands, (verb) => verb.helpGroup() || defaultCommands, commandTerm),
      ...(command.parent === null ? [topicSection()] : []),
      ...termSections(
        flagsOf(command),
        (option) => option.helpGroupHeading ?? defaultFlags,
        (option) => ({ name: option.flags, text: flagText(option) }),
      ),
      ...helpSectionsOf(command),
      ...exampleSection(examplesOf(command)),
      command.parent === null ? nextSection() : globalSection(programOf(command)),
    ],
  };
}

/** The words of a command, the program's included. */
export function nameOf(command: Command): string {
  return lineageOf(command)
    .map((one) => one.name())
    .toReversed()
    .join(" ");
}

/** The text with a capital and a full stop. A noun has only its summary as a description. */
function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${capitalised(text)}.`;
}

/** The flags on a command's page; --help comes last. */
function flagsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function usageOf(command: Command, name: string): string {
  const words = command.registeredArguments.map(argumentName);
  if (command.commands.length > 0) words.push("<command>");
  return [name, ...words, "[flags]"].join(" ");
}

/** As in `<id...>` and `[shell]`. */
export function argumentName(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentTerm(argument: Argument): Term {
  return { name: argumentName(argument), text: argument.description };
}

function commandTerm(command: Command): Term {
  return { name: command.name(), text: command.summary() };
}

function flagText({ description, argChoices, defaultValue }: Option): string {
  const notes = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(typeof defaultValue === "number" || typeof defaultValue === "string"
      ? [`default ${defaultValue}`]
      : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

/** One section for each heading, in the order in which the headings come up first. */
function termSections<T>(
  things: readonly T[],
  headingOf: (thing: T) => string,
  termOf: (thing: T) => Term,
): readonly Section[] {
  const headings = [...new Set(things.map(headingOf))];
  return headings.map((heading) => {
    const ofHeading = things.filter((thing) => headingOf(thing) === heading);
    return section(heading, { kind: "terms", terms: ofHeading.map(termOf) });
  });
}

function aliasSection(names: readonly string[]): readonly Section[] {
  return names.length === 0 ? [] : [section("Aliases", { kind: "names", names })];
}

function exampleSection(lines: readonly string[]): readonly Section[] {
  return lines.length === 0 ? [] : [section("Examples", examples(...lines))];
}

function topicSection(): Section {
  return section("Topics", terms(topics.map(({ name, summary }) => [`help ${name}`, summary])));
}

function nextSection(): Section {
  return section(
    "Read on",
    examples("grantctl help grant", "grantctl help grant list", `grantctl help ${topics[0].name}`),
  );
}

function globalSection(program: Command): Section {
  const names = program.options.filter(({ long }) => long !== "--version").map(({ long }) => long ?? "");
  return { heading: globalFlags, note: "explained by grantctl --help", blocks: [{ kind: "names", names }] };
}

/** The widest first column; a longer name has its text on the next line. */
const widestName = 26;
/** The narrowest second column that is still pleasant to read. */
const narrowestText = 30;
const indent = "  ";

type Style = (text: string) => string;

const bold = { on: "\u001b[1m", off: "\u001b[22m" };

/** The page as text, with bold headings where there are colours; it ends with a line break. */
export function renderText(page: Page, columns: number, hasColours: boolean): string {
  const heading = (text: string): string => (hasColours ? bold.on + text + bold.off : text);
  const nameColumn = nameColumnOf(page, columns);
  const head = page.usage === null ? [] : [usageLines(page.usage, columns, heading)];
  const sections = page.sections.map((each) => sectionLines(each, columns, nameColumn, heading));
  return `${[...head, ...sections].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** The width of this page's first column; 0 where the texts stand below the names. */
function nameColumnOf(page: Page, columns: number): number {
  const names = page.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === "terms" ? block.terms : []))
    .map(({ name }) => name.length)
    .filter((length) => length <= widestName);
  const width = Math.max(0, ...names);
  return columns - indent.length * 2 - width < narrowestText ? 0 : width;
}

function usageLines(usage: string, columns: number, heading: Style): readonly string[] {
  const [first = "", ...rest] = wrap(usage, columns - "Usage: ".length);
  return [`${heading("Usage:")} ${first}`, ...rest.map((line) => `${" ".repeat(7)}${line}`)];
}

function sectionLines(
  { heading: title, note, blocks }: Section,
  columns: number,
  nameColumn: number,
  heading: Style,
): readonly string[] {
  const own = title === null ? "" : indent;
  const lines = blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : [""]),
    ...blockLines(block, columns - own.length, nameColumn).map((line) => (line === "" ? "" : own + line)),
  ]);
  if (title === null) return lines;
  const line = note === undefined ? title : `${title}, ${note}`;
  return [...wrap(`${line}:`, columns).map(heading), ...lines];
}

function blockLines(block: Block, width: number, nameColumn: number): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return wrap(block.text, width);
    case "names":
      return wrap(block.names.join(" "), width);
    case "examples":
      return block.lines.flatMap((line) => exampleLines(line, width));
    case "terms":
      break;
  }
  return block.terms.flatMap((term) => termLines(term, width, nameColumn));
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

/** A command line, broken as a shell allows it where it is too long: with a backslash at the end of each line. */
function exampleLines(line: string, width: number): readonly string[] {
  const quotedWords = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  const isShort = line.length + 2 <= width;
  const lines = isShort ? [line] : fill(line.match(quotedWords) ?? [], width - 6);
  const last = lines.length - 1;
  return lines.map((part, index) => `${index === 0 ? "$ " : "    "}${part}${index === last ? "" : " \\"}`);
}

function wrap(text: string, width: number): readonly string[] {
  return fill(text.split(" "), width);
}

/** Fills lines of at most `width` columns with the words. */
function fill(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
