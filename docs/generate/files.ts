// The files of docs/man and docs/reference, made from the command table and the topics. Nothing in them is written by
// hand: `npm run docs` writes them.
import type { Command } from "commander";
import { commandPage, inheritedFlags, type HelpPage } from "../../src/command-line/help-page.ts";
import type { Section } from "../../src/command-line/help-sections.ts";
import { topicPage, topics } from "../../src/command-line/topics.ts";
import { createWholeProgram } from "../../src/program.ts";
import { escapeText, inlineCode, renderAligned, renderMarkdown, renderTable } from "./markdown.ts";
import { renderRoff } from "./roff.ts";

const notice = "<!-- Written by `npm run docs` from the command table. -->";

/** Every file by its path below docs/, as in `man/grantctl.1`. */
export async function generateFiles(): Promise<ReadonlyMap<string, string>> {
  const program = await createWholeProgram();
  const pages = await Promise.all(topics.map((topic) => topicPage(topic, program)));
  return new Map([
    ...manualOf(program, null),
    ...pages.map(manualOfTopic),
    ["reference/README.md", indexOf(program, pages)],
    ["reference/grantctl.md", documentOf([renderMarkdown(commandPage(program), 1)])],
    ...program.commands.map(referenceOf),
    ...pages.map((page): [string, string] => [
      `reference/${page.name}.md`,
      documentOf([renderMarkdown(page, 1)]),
    ]),
  ]);
}

const commandTable = /(<!-- commands: .*? -->\n)[^]*?(<!-- end of commands -->)/;

/** README.md with the table of all commands as their summaries are now. */
export async function withCommandTable(readme: string): Promise<string> {
  const { commands } = await createWholeProgram();
  const rows = commands.map((noun): readonly [string, string, string] => {
    const verbs = noun.commands.map((verb) => inlineCode(verb.name())).join(", ");
    const name = noun.name();
    return [`[${inlineCode(name)}](docs/reference/${name}.md)`, verbs, escapeText(noun.summary())];
  });
  const table = renderAligned([["command", "subcommands", "use it to"], ...rows]);
  return readme.replace(commandTable, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
}

/** The manual pages among the files, as package.json lists them. */
export function manualsIn(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files.keys()].filter((path) => path.startsWith("man/")).map((path) => `docs/${path}`);
}

/** The manual pages of a command and of those below it. */
function manualOf(command: Command, parent: HelpPage | null): readonly [string, string][] {
  const page = commandPage(command);
  const title = titleOf(page);
  const below = command.commands.flatMap((child) => manualOf(child, page));
  const seeAlso = [
    ...(parent === null ? [] : [`${titleOf(parent)}(1)`]),
    ...command.commands.map((child) => `${title}-${child.name()}(1)`),
    ...(parent === null ? topics.map(({ name }) => `${titleOf({ name })}(7)`) : []),
  ];
  return [[`man/${title}.1`, renderRoff({ title, volume: 1, page, seeAlso })], ...below];
}

function manualOfTopic(page: HelpPage): [string, string] {
  const title = titleOf(page);
  return [`man/${title}.7`, renderRoff({ title, volume: 7, page, seeAlso: ["grantctl(1)"] })];
}

/** As in `grantctl-grant-list`, or `grantctl-exit-codes` for a topic. */
function titleOf({ name }: Pick<HelpPage, "name">): string {
  const words = name.split(" ");
  return (words[0] === "grantctl" ? words : ["grantctl", ...words]).join("-");
}

/** A noun with its verbs, or a command that is its own. */
function referenceOf(noun: Command): [string, string] {
  const pages = [noun, ...noun.commands].map(commandPage);
  // The names of the other inherited flags are the same on every page.
  const own = pages.map((page) => ({
    ...page,
    sections: page.sections.flatMap((section) =>
      section.heading === inheritedFlags ? withoutParagraphs(section) : [section],
    ),
  }));
  const [first, ...verbs] = own.map((page, index) => renderMarkdown(page, index === 0 ? 1 : 2));
  const common = ["[Global flags](flags.md)."];
  return [`reference/${noun.name()}.md`, documentOf([first ?? [], common, ...verbs])];
}

function withoutParagraphs(section: Section): readonly Section[] {
  const blocks = section.blocks.filter(({ kind }) => kind !== "paragraph");
  return blocks.length === 0 ? [] : [{ ...section, blocks }];
}

function indexOf(program: Command, pages: readonly HelpPage[]): string {
  const commands = program.commands.flatMap((noun) => [
    link(`grantctl ${noun.name()}`, `${noun.name()}.md`, noun.summary()),
    ...noun.commands.map((verb) => {
      const name = `grantctl ${noun.name()} ${verb.name()}`;
      return link(name, `${noun.name()}.md#${name.replaceAll(" ", "-")}`, verb.summary());
    }),
  ]);
  const read = pages.map((page) => link(page.name, `${page.name}.md`, page.summary));
  return documentOf([
    ["# Reference"],
    ["The text of `grantctl help` for every command. The manual pages are in [man](../man)."],
    ["## Commands"],
    [renderTable([link("grantctl", "grantctl.md", program.summary()), ...commands])],
    ["## Topics"],
    [renderTable(read)],
  ]);
}

function link(name: string, target: string, text: string): readonly [string, string] {
  return [`[${inlineCode(name)}](${target})`, escapeText(text)];
}

function documentOf(parts: readonly (readonly string[])[]): string {
  return `${[notice, ...parts.flat()].join("\n\n")}\n`;
}
