// Reads the line that is being typed, up to the word at the cursor: which command it is, which flags were given, and
// what the next word can be.
import type { Command, Option } from "commander";
import { childCommand } from "../lineage.ts";
import type { CommandTable } from "../command-table.ts";
import { flagsOf, formsOf, pathOf, valuesOfArgument, valuesOfFlag } from "./offers.ts";

export interface Place {
  /** The command whose flags and arguments may follow. */
  readonly command: Command;
  /** The command that is named behind `help` or `schema`; null elsewhere. */
  readonly named: Command | null;
  /** The flags that were given, as they were typed. */
  readonly given: ReadonlySet<string>;
  readonly waiting: Option | null;
  /** How many arguments the command has by now. */
  readonly count: number;
  /** Whether `--` was typed. */
  readonly isEnded: boolean;
  /** The position of a program whose own words are being typed; null elsewhere. */
  readonly programAt: number | null;
}

/** Commands whose arguments are the words of a command. */
const namingCommands: ReadonlySet<string> = new Set(["help", "schema"]);

export async function readLine(
  words: readonly string[],
  commands: Pick<CommandTable, "find">,
): Promise<Place> {
  let command = await commands.find([]);
  let named: Command | null = null;
  let waiting: Option | null = null;
  let count = 0;
  let isEnded = false;
  const given = new Set<string>();
  const placeAt = (programAt: number | null): Place => ({
    command,
    named,
    given,
    waiting,
    count,
    isEnded,
    programAt,
  });
  for (const [index, word] of words.entries()) {
    const flag: Option | null = waiting;
    waiting = null;
    if (flag !== null && !(flag.optional && word.startsWith("-"))) continue;
    if (!isEnded && word === "--") {
      isEnded = true;
    } else if (!isEnded && /^-./.test(word)) {
      given.add(word.replace(/=.*$/s, ""));
      const found = flagNamed(word, command);
      if (found !== undefined && valuesOfFlag(found) !== null) waiting = found;
    } else {
      const next: Command | undefined = isEnded ? undefined : childCommand(named ?? command, word);
      if (next === undefined) {
        if (argumentKind(command, count) === "program") return placeAt(index);
        count += 1;
      } else if (named !== null) {
        named = await commands.find(pathOf(next), words);
      } else {
        if (namingCommands.has(next.name())) named = command;
        command = await commands.find(pathOf(next), words);
      }
    }
  }
  return placeAt(null);
}

export function flagNamed(form: string, command: Command): Option | undefined {
  return flagsOf(command).find((option) => formsOf(option).includes(form));
}

function argumentKind(command: Command, count: number): string | undefined {
  const argument = argumentAt(command, count);
  return argument === undefined ? undefined : valuesOfArgument(argument, pathOf(command)).kind;
}

/** The argument that comes behind so many others; undefined where there is none. */
export function argumentAt(
  command: Command,
  count: number,
): Command["registeredArguments"][number] | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
}
