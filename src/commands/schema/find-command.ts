// Which command is meant by words that name one. Leaves typing mistakes to commander, so that they are answered as
// everywhere else.
import type { Command } from "commander";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { createGuesser } from "../../command-line/wrong-words/nearest.ts";
import type { CommandTable } from "../../command-line/command-table.ts";

/**
 * The words of the command as help has them, aliases resolved. `known` are all that may be meant. Throws a usage failure
 * or commander's own error, with a suggestion.
 */
export async function findCommand(
  words: readonly string[],
  known: readonly string[],
  commands: CommandTable,
): Promise<string> {
  const plain = await withoutAliases(words, commands);
  if (known.includes(plain.join(" "))) return plain.join(" ");
  const [noun = ""] = plain;
  const verbs = known.filter((name) => name.startsWith(`${noun} `));
  if (plain.length === 1 && verbs.length > 0) {
    throw usageFailure(
      `${noun} is several commands`,
      verbs.map((name) => `grantctl schema ${name}`).join(", "),
    );
  }
  refuse(plain, known);
  throw usageFailure(
    `${foreign(plain.join(" "))} is no command`,
    "grantctl schema lists the commands that have one",
  );
}

/** The words as help has them, as far as they lead to a command. */
async function withoutAliases(words: readonly string[], commands: CommandTable): Promise<readonly string[]> {
  const plain: string[] = [];
  for (const word of words) plain.push(await nameOf([...plain, word], commands));
  return plain;
}

async function nameOf(path: readonly string[], commands: CommandTable): Promise<string> {
  try {
    return (await commands.find(path)).name();
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
    return path.at(-1) ?? "";
  }
}

/** Lets commander refuse the words: it knows what resembles them. */
function refuse(words: readonly string[], known: readonly string[]): void {
  const root = createGuesser();
  const nouns = new Map<string, Command>();
  for (const [noun = "", verb] of known.map((name) => name.split(" "))) {
    const command = nouns.get(noun) ?? root.command(noun);
    nouns.set(noun, command);
    if (verb !== undefined) command.command(verb);
  }
  root.parse([...words], { from: "user" });
}
