// Messages for known arguments and flags that are wrong: too many, missing, of the wrong kind, or in conflict. They
// replace commander's own sentences, which repeat what was typed.
import type { Command, CommanderError } from "commander";
import { lineageOf } from "../lineage.ts";
import { argumentName, nameOf } from "../pages/command-page.ts";
import { either } from "./nearest.ts";

/** The message for an error of commander about this command's arguments or flags. */
export function wrongValueMessage({ code, message }: CommanderError, command: Command): string {
  switch (code) {
    case "commander.excessArguments":
      return excessMessage(command);
    case "commander.missingArgument":
      return `<${lastQuoted(message)}> is missing`;
    case "commander.optionMissingArgument":
      return `${withoutShortForm(lastQuoted(message))}: its value is missing`;
    case "commander.missingMandatoryOptionValue":
      return `${withoutShortForm(lastQuoted(message))} is missing`;
    case "commander.conflictingOption":
      return `${[...message.matchAll(/'(-.*?)'/g)].map(([, flags = ""]) => longOf(flags)).join(" and ")} do not go together`;
    case "commander.invalidArgument":
      return invalidMessage(message, command);
    default:
      return "this command line is not understood";
  }
}

function excessMessage(command: Command): string {
  const taken = command.registeredArguments.map(argumentName);
  // A command that takes any number of arguments has too many only where they were meant for another command.
  if (command.registeredArguments.some(({ variadic }) => variadic)) return "too many arguments";
  return `too many arguments: ${nameOf(command)} takes ${taken.length === 0 ? "none" : `only ${taken.join(" ")}`}`;
}

/** The message for a refused value: commander's own text without the value in its middle. */
function invalidMessage(message: string, command: Command): string {
  const [, flags] = /^error: option '(.*?)' argument '/s.exec(message) ?? [];
  const [, reason = ""] = /.*' is invalid(?: for argument '[^']*')?\. (.*)$/s.exec(message) ?? [];
  if (flags !== undefined) {
    const option = lineageOf(command)
      .flatMap(({ options }) => options)
      .find((candidate) => candidate.flags === flags);
    return sayWhy(longOf(flags), option?.argChoices, reason);
  }
  const [, name = ""] = /.*' is invalid for argument '([^']*)'\. /s.exec(message) ?? [];
  const argument = command.registeredArguments.find((candidate) => candidate.name() === name);
  return sayWhy(`<${name}>`, argument?.argChoices, reason);
}

function sayWhy(what: string, choices: readonly string[] | undefined, reason: string): string {
  return choices === undefined
    ? `${what}: ${reason.replace(/\.$/, "")}`
    : `${what} is one of ${either(choices)}`;
}

/** `--limit` of `-l, --limit <n>`. */
function longOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

/** `--header <header>` of `-H, --header <header>`. */
function withoutShortForm(flags: string): string {
  return flags.replace(/^-[^-].*?(?=--)/, "");
}

/** The last quoted name in commander's text, which is that of our flag or argument. */
function lastQuoted(message: string): string {
  return /'([^']*)'[^']*$/.exec(message)?.[1] ?? "";
}
