// Which of several words somebody meant who typed another one. The measure is commander's own, so that flags, commands
// and topics are guessed alike.
import { Command, CommanderError } from "commander";

/** A program that knows no words yet, and says nothing about others but by throwing commander's error. */
export function createGuesser(): Command {
  return new Command()
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ outputError: () => undefined });
}

/** The words that are nearest; none where all are too far away. */
export function nearestWords(typed: string, words: readonly string[]): readonly string[] {
  const guesser = createGuesser();
  for (const word of new Set(words)) guesser.command(word);
  try {
    // What looks like a flag would be one.
    guesser.parse(["--", typed], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return guessesIn(error.message);
    throw error;
  }
  return [];
}

/** As in `a, b or c`. */
export function either(words: readonly string[]): string {
  return joined(words, "or");
}

/** As in `a, b and c`. */
export function list(words: readonly string[]): string {
  return joined(words, "and");
}

function joined(words: readonly string[], conjunction: string): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}

/** What commander guesses in a message: `(Did you mean list?)` and `(Did you mean one of list, ls?)`. */
export function guessesIn(message: string): readonly string[] {
  return /\(Did you mean (?:one of )?(.*)\?\)$/.exec(message)?.[1]?.split(", ") ?? [];
}
