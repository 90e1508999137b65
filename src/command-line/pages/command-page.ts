// The help page of a command, made from commander's own tables: the one source for --help, manual pages and docs/.
import type { Argument, Command, Option } from "commander";
import { capitalised } from "../../errors/capitalised.ts";
import { examplesOf } from "../examples.ts";
import { helpSectionsOf } from "../help-sections.ts";
import { lineageOf, programOf } from "../lineage.ts";
import { examples, section, terms, type Page, type Section, type Term } from "./page.ts";
import { topics } from "./topics.ts";

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
