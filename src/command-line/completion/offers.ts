// The commands, flags and arguments that may follow on a command line that is being typed, read from commander's own
// tables. A word that a shell would split or expand is left out, and descriptions are one line.
import type { Argument, Command, Option } from "commander";
import { lineageOf } from "../lineage.ts";
import { valuesOf, type Values } from "./values.ts";

/** A word that may be typed next, with a description; empty where the word needs none. */
export interface Offer {
  readonly word: string;
  readonly means: string;
}

/** The commands below this one. */
export function commandOffers(command: Command): readonly Offer[] {
  return (
    command
      .createHelp()
      .visibleCommands(command)
      // `visibleCommands` has the `help` that commander adds to a noun as well.
      .filter((child) => command.commands.includes(child) && isPlain(child.name()))
      .map((child) => ({ word: child.name(), means: oneLine(child.summary()) }))
  );
}

/** The flags that a command takes, its own before the global ones; its own hides a global one of the same name. */
export function flagsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  const inherited = lineageOf(command)
    .slice(1)
    .flatMap((ancestor) => ancestor.options.filter(({ long, hidden }) => !hidden && long !== "--version"));
  return [...own, ...inherited.filter(({ long }) => !own.some((option) => option.long === long))].filter(
    ({ long }) => long !== undefined && isPlain(long),
  );
}

/** A flag as it is typed, in its short and its long form. */
export function formsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((form) => form !== undefined && form !== null);
}

/** Every form of a flag, each with the flag's description. */
export function flagOffers(option: Option): readonly Offer[] {
  return formsOf(option).map((word) => ({ word, means: oneLine(option.description) }));
}

/** Whether a flag may be repeated: then its parser takes the earlier value as a second argument. */
export function isRepeatable({ argChoices, parseArg }: Option): boolean {
  return argChoices === undefined && (parseArg?.length ?? 0) > 1;
}

/** The values that a flag takes; null for a flag without a value. */
export function valuesOfFlag({ flags, long, required, optional, negate, argChoices }: Option): Values | null {
  if (negate || !(required || optional)) return null;
  const name = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? "value";
  return plainValues(valuesOf(name, argChoices, { long: long ?? "" }));
}

/** What may be typed for an argument of the command at `path`. */
export function valuesOfArgument(argument: Argument, path: readonly string[]): Values {
  return plainValues(valuesOf(argument.name(), argument.argChoices, { path }));
}

/** The words that lead to a command, without the program's name. */
export function pathOf(command: Command): readonly string[] {
  return lineageOf(command)
    .map((one) => one.name())
    .toReversed()
    .slice(1);
}

function plainValues(values: Values): Values {
  return "words" in values ? { ...values, words: values.words.filter(isPlain) } : values;
}

/** Whether a shell reads the text as one word, and expands nothing in it. */
function isPlain(word: string): boolean {
  return /^[\w.,:@/+-]+$/.test(word);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
}
