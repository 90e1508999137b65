// Reads the line that is being typed, up to the word at the cursor: its command, the flags given so far, and where the
// next word stands.
import type { Command, Option } from "commander";
import { childCommand } from "../lineage.ts";
import type { CommandTable } from "../command-table.ts";
import { flagsOf, formsOf, pathOf, valuesOfArgument, valuesOfFlag } from "./offers.ts";

export interface Place {
  /** The command whose flags and arguments may follow. */
  readonly command: Command;
  /** The command that is named after `help` or `schema`; null for other commands. */
  readonly named: Command | null;
  /** The flags that were given, as they were typed. */
  readonly given: ReadonlySet<string>;
  /** The flag whose value comes next; null where none is expected. */
  readonly waiting: Option | null;
  /** How many arguments of the command were typed. */
  readonly count: number;
  /** Whether `--` was typed. */
  readonly isEnded: boolean;
  /** The position of another program whose own arguments are being typed; null where there is none. */
  readonly programAt: number | null;
}

/** Commands whose arguments name a command, as in `help grant list`. */
const namingCommands: ReadonlySet<string> = new Set(["help", "schema"]);

/** The place behind these words, which stand before the one at the cursor. */
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

/** The flag of a command that is written in this form; undefined for none. */
export function flagNamed(form: string, command: Command): Option | undefined {
  return flagsOf(command).find((option) => formsOf(option).includes(form));
}

function argumentKind(command: Command, count: number): string | undefined {
  const argument = argumentAt(command, count);
  return argument === undefined ? undefined : valuesOfArgument(argument, pathOf(command)).kind;
}

/** The argument after `count` others; undefined where the command takes no more. */
export function argumentAt(
  command: Command,
  count: number,
): Command["registeredArguments"][number] | undefined {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  return registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
}
