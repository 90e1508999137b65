// Finds the command that the arguments of `grantctl schema` name. Typing mistakes get the usual suggestions.
import { isFailure, usageFailure } from "../../errors/errors.ts";
import type { CommandTable } from "../../command-line/command-table.ts";

/**
 * The full name of the command, with aliases resolved. `known` are the names of all commands with a schema. Throws a
 * usage failure with a suggestion.
 */
export async function findCommand(
  words: readonly string[],
  known: readonly string[],
  commands: CommandTable,
): Promise<string> {
  const plain = await withoutAliases(words, commands);
  if (known.includes(plain.join(" "))) return plain.join(" ");
  const [noun = "", verb = ""] = plain;
  const verbs = known.filter((name) => name.startsWith(`${noun} `));
  if (plain.length === 1 && verbs.length > 0) {
    throw usageFailure(
      `${noun} is several commands`,
      verbs.map((name) => `grantctl schema ${name}`).join(", "),
    );
  }
  const help = "see grantctl schema --help";
  const names =
    verbs.length > 0
      ? verbs.map((name) => name.slice(noun.length + 1))
      : known.map((name) => name.split(" ")[0] ?? "");
  const wrong = verbs.length > 0 ? verb : noun;
  if (names.includes(wrong)) throw usageFailure("too many arguments", help);
  const { unknownNameFailure } = await import("../../command-line/wrong-words/unknown-words.ts");
  throw unknownNameFailure(wrong, names, help);
}

/** The words with aliases resolved, as far as they lead to a command. */
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
