// Explains a command line that commander refused: what was probably meant, or which command takes the flag. The one
// rule: no value that was typed is repeated, because it may be a secret.
import type { Command, CommanderError } from "commander";
import { usageFailure, type Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { childCommand } from "../lineage.ts";
import { argumentName, nameOf } from "../pages/command-page.ts";
import { either, nearestWords } from "./nearest.ts";
import { absentFlag } from "./absent-flags.ts";
import { unknownCommandFailure } from "./unknown-words.ts";
import { wrongValueMessage } from "./wrong-values.ts";

/** The failure for an error of commander. All commands of the program have to be defined. */
export function explainUsage(error: CommanderError, words: readonly string[], program: Command): Failure {
  switch (error.code) {
    case "commander.unknownCommand": {
      const word = quoted(error.message);
      const place = words.indexOf(word);
      const command = commandIn(place === -1 ? words : words.slice(0, place), program);
      return swallowedCommandFailure(words, program, word) ?? unknownCommandFailure(command, word);
    }
    case "commander.unknownOption":
      return unknownFlagFailure(error, commandIn(words, program), program);
    default: {
      const command = commandIn(words, program);
      const isMissing = error.code === "commander.missingArgument";
      const swallowed = isMissing ? swallowedArgumentFailure(words, command) : null;
      if (swallowed !== null) return swallowed;
      const isForJq = error.code === "commander.excessArguments" && hasQuietExpression(words);
      const help = isForJq
        ? "-q is --quiet here, and jq's program follows --jq"
        : `see ${nameOf(command)} --help`;
      return usageFailure(wrongValueMessage(error, command), help);
    }
  }
}

function unknownFlagFailure(error: CommanderError, command: Command, program: Command): Failure {
  const [typed = "", value] = quoted(error.message).split("=");
  const flag = typed.startsWith("--") ? typed : typed.slice(0, 2);
  const sought = absentFlag(flag, nameOf(command));
  if (sought !== null) return usageFailure(sought.message, sought.hint);
  if (value !== undefined && [program, command].some((taker) => takes(taker, flag)))
    return valuelessFlagFailure(flag, command, program);
  const known = [program, command].flatMap(longFlagsOf);
  const longer = known.filter((long) => long.startsWith(`${flag}-`));
  const owners = everyCommand(program).filter((other) => takes(other, flag));
  const near = !typed.startsWith("--") ? [] : longer.length > 0 ? longer : nearestFlags(typed, known);
  const isAnothers = nameOf(command) === "grantctl sandbox run" && near.length === 0;
  const hint = isAnothers
    ? "put -- in front of the command to run: grantctl sandbox run -- CMD ARGS..."
    : owners.length > 0
      ? `${flag} belongs to ${either(owners.map(nameOf))}`
      : near.length > 0
        ? `did you mean ${either(near)}`
        : `see ${nameOf(command)} --help`;
  // A value may be joined to a short flag: -pVALUE.
  const isHarmless = /^--[a-z]+(?:-[a-z]+){0,4}$/.test(flag) || flag.length <= 2;
  return usageFailure(isHarmless ? `unknown flag '${foreign(flag)}'` : "unknown flag", hint);
}

function longFlagsOf(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
}

/** The nearest flags, compared without their two dashes. */
function nearestFlags(typed: string, flags: readonly string[]): readonly string[] {
  const names = flags.map((flag) => flag.slice(2));
  return nearestWords(typed.slice(2), names).map((name) => `--${name}`);
}

/** The failure where `--json` took a command for its list of fields, so that the word after it seems unknown. */
function swallowedCommandFailure(
  words: readonly string[],
  program: Command,
  unknown: string,
): Failure | null {
  const at = words.indexOf("--json");
  const swallowed = at === -1 ? undefined : words[at + 1];
  if (swallowed === undefined) return null;
  const parent = commandIn([...words.slice(0, at), ...words.slice(at + 2)], program);
  const command = childCommand(parent, swallowed);
  if (command === undefined) return null;
  const meant = childCommand(command, unknown) ?? command;
  return usageFailure(
    `--json took '${foreign(swallowed)}' for a list of fields, so no command is left`,
    `write it after the command: ${nameOf(meant)} --json`,
  );
}

/** The failure where `--json` took an argument for its list of fields: `grant view --json 1`. */
function swallowedArgumentFailure(words: readonly string[], command: Command): Failure | null {
  const behind = words[words.indexOf("--json") + 1];
  const [argument] = command.registeredArguments;
  if (!words.includes("--json") || behind === undefined || behind.startsWith("-") || argument === undefined) {
    return null;
  }
  const name = argumentName(argument);
  return usageFailure(
    `--json took the word after it for a list of fields, so ${name} is missing`,
    `write it after the argument: ${nameOf(command)} ${name} --json`,
  );
}

/** Whether -q is followed by what may be a program of jq, which it takes in gh. */
function hasQuietExpression(words: readonly string[]): boolean {
  return words.some((word, index) => word === "-q" && /^[.[{(]/.test(words[index + 1] ?? ""));
}

/** The failure for a flag that takes no value and was given one. */
function valuelessFlagFailure(flag: string, command: Command, program: Command): Failure {
  const opposite = flag.replace(/^--/, "--no-");
  const hint = readsStandardInput.includes(flag)
    ? `it is read from standard input: ${flag} < FILE`
    : takes(program, opposite)
      ? `${flag} or ${opposite}`
      : `${nameOf(command)} ${flag}`;
  return usageFailure(`${flag} takes no value`, hint);
}

const readsStandardInput: readonly string[] = ["--password-stdin", "--client-secret-stdin", "--with-token"];

/** The command that the words lead to, as far as they are understood. */
function commandIn(words: readonly string[], program: Command): Command {
  let command = program;
  for (const word of words) {
    if (word === "--") break;
    const next = childCommand(command, word);
    if (next !== undefined) command = next;
  }
  return command;
}

function everyCommand(program: Command): readonly Command[] {
  return program.commands.flatMap((noun) => [noun, ...noun.commands]);
}

function takes(command: Command, flag: string): boolean {
  return command.options.some(({ long, short, hidden }) => !hidden && (long === flag || short === flag));
}

function quoted(message: string): string {
  return /'(.*?)'(?:\n|$)/s.exec(message)?.[1] ?? "";
}
