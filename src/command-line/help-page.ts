// The help page of a command, made from commander's own tables; help-text.ts renders it.
//
//   program   fits 24 lines of 80 columns: core commands, three examples, where to read more
//   noun      its commands
//   command   its flags, then the inherited flags that matter for it (`explainInherited`), then where the others are
import type { Argument, Command, Option } from "commander";
import { pathOf, programOf } from "./command.ts";
import { topics } from "./topics.ts";
import { both, capitalised } from "../errors/words.ts";
import { type Section, type Term, exampleSection, helpPartsOf, section } from "./help-sections.ts";

export interface HelpPage {
  /** As in `grantctl grant list`, or `exit-codes` for a topic. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** The usage line of a command; null for a topic. */
  readonly usage: string | null;
  readonly sections: readonly Section[];
}

const defaultFlags = "Flags";
/** Commands under this heading are listed by name alone on the program's page. */
const otherCommands = "Additional commands";

/** The page of a command, which must be loaded and defined. */
export function commandPage(command: Command): HelpPage {
  const name = commandName(command);
  const sections = command.parent === null ? programSections(command) : commandSections(command);
  return {
    name,
    summary: command.summary(),
    usage: usageOf(command, name),
    sections: [section(null, asSentence(command.description())), ...sections],
  };
}

function programSections(program: Command): readonly Section[] {
  const isOther = (noun: Command): boolean => noun.helpGroup() === otherCommands;
  const others = program.commands.filter(isOther).map((noun) => noun.name());
  return [
    ...termSections(
      program.commands.filter((noun) => !isOther(noun)),
      (noun) => noun.helpGroup(),
      commandTerm,
    ),
    section(otherCommands, { kind: "names", names: others }),
    exampleSection(...helpPartsOf(program).examples),
    section(
      "Learn more",
      `Run \`grantctl help\` with a command or one of these topics: ${topics.map((topic) => topic.name).join(", ")}.`,
    ),
  ];
}

function commandSections(command: Command): readonly Section[] {
  const aliases = command.aliases();
  const parts = helpPartsOf(command);
  const outer = parts.fields.filter((field) => !field.includes("."));
  return [
    ...(aliases.length === 0 ? [] : [section("Aliases", { kind: "names", names: aliases })]),
    ...termSections(command.registeredArguments, () => "Arguments", argumentTerm),
    ...termSections(command.commands, () => "Commands", commandTerm),
    ...flagSections(command),
    ...(command.commands.length > 0 ? [] : [inheritedSection(command)]),
    ...parts.sections,
    ...(outer.length === 0 ? [] : [section("JSON fields", { kind: "names", names: outer })]),
    ...(parts.examples.length === 0 ? [] : [exampleSection(...parts.examples)]),
    section("Learn more", learnMoreText(command)),
  ];
}

function learnMoreText(command: Command): string {
  const name = commandName(command);
  if (command.commands.length > 0) return `Run \`${name} <command> --help\` for more about a command.`;
  const exitCodes = "Run `grantctl help exit-codes` for the meaning of each exit code.";
  const isJob = command.options.some(({ long }) => long === "--resume");
  const jobs = isJob
    ? " Run `grantctl help jobs` to learn about statuses, resuming jobs and verifying results."
    : "";
  return `${exitCodes}${jobs}`;
}

/** Global flags that are useful for most commands; help names the first three that it does not explain. */
const wellKnown = ["--profile", "--base-url", "--no-input", "--quiet", "--debug", "--timeout"];

/** Explains the global flags that matter for a command, and refers to the help topic for the others. */
function inheritedSection(command: Command): Section {
  const own = command.options.map(({ long }) => long);
  const flags = programOf(command).options.filter(({ long }) => long !== "--version" && !own.includes(long));
  const important = helpPartsOf(command).inherited;
  const explained = flags.filter(({ long }) => important.includes(long ?? ""));
  const others = flags.filter((option) => !explained.includes(option)).map(({ long }) => long ?? "");
  const known = wellKnown.filter((long) => others.includes(long)).slice(0, 3);
  const rest = explained.length === 0 ? `all ${others.length} inherited flags` : `${others.length} others`;
  return section(
    "Inherited flags",
    ...(explained.length === 0 ? [] : [{ kind: "terms", terms: explained.map(flagTerm) } as const]),
    `Run \`grantctl help flags\` for ${rest}, such as ${both(known)}.`,
  );
}

/** The flags of a command (those of the program are the global flags), by the headings under which they were added. */
export function flagSections(command: Command): readonly Section[] {
  return termSections(
    command.createHelp().visibleOptions(command),
    (option) => option.helpGroupHeading ?? defaultFlags,
    flagTerm,
  );
}

export function everyCommandSections(program: Command): readonly Section[] {
  const verbs = program.commands.flatMap((noun) => noun.commands);
  const others = program.commands.filter((noun) => noun.commands.length === 0);
  return [
    ...termSections(verbs, ({ parent }) => parent?.name() ?? "", fullCommandTerm),
    section("Other commands", { kind: "terms", terms: others.map(fullCommandTerm) }),
  ];
}

export function commandName(command: Command): string {
  return [programOf(command).name(), ...pathOf(command)].join(" ");
}

/** The text as a sentence: capitalised, with a full stop. A noun may have only its summary as a description. */
function asSentence(text: string): string {
  return text.endsWith(".") ? text : `${capitalised(text)}.`;
}

function usageOf(command: Command, name: string): string {
  const words = command.registeredArguments.map(argumentName);
  if (command.parent === null) words.push("<command> <subcommand>");
  else if (command.commands.length > 0) words.push("<command>");
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

/** As in `grant list`: the command as it is typed after the program's name. */
function fullCommandTerm(command: Command): Term {
  return { name: pathOf(command).join(" "), text: command.summary() };
}

/** In the style of gh, with the choices and the default. */
function flagTerm({ flags, description, argChoices, defaultValue }: Option): Term {
  const choices = argChoices === undefined ? "" : `: {${argChoices.join("|")}}`;
  const hasDefault = ["string", "number"].includes(typeof defaultValue);
  const usual = hasDefault ? ` (default ${JSON.stringify(defaultValue)})` : "";
  return { name: flags, text: `${description}${choices}${usual}` };
}

/** One section per heading, in the order of first appearance. */
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
