// Adds the --profile and --base-url that were typed to the commands in hints, because a pasted command would otherwise
// go to another service. Applied to every printed line, so that no message has to do it.
import { foreign } from "../errors/foreign.ts";

/** Matches the beginning of commands that need a profile or an address. */
const aboutAPlace =
  /\bgrantctl (?:--profile \S+ )?(?=(?:grant|authorization|token|auth|recover|api|graphql|doctor|audit|config (?:get|set|unset))\b)/g;

const flags = ["--profile", "--base-url"] as const;

/** A function that adds to the commands in a line the flags that are among `words`. */
export function createCommandCompleter(words: readonly string[]): (line: string) => string {
  const typed = flags.flatMap((flag) => {
    const value = typedValue(flag, words);
    return value === null ? [] : [{ flag, text: `${flag} ${foreign(quoteWord(value))} ` }];
  });
  if (typed.length === 0) return (line) => line;
  return (line) =>
    line.replaceAll(aboutAPlace, (command, at: number) => {
      const rest = line.slice(at);
      return command + typed.flatMap(({ flag, text }) => (rest.includes(flag) ? [] : [text])).join("");
    });
}

/** The last value of a flag on the command line; null if it has none, or one that may hold a password. */
function typedValue(flag: string, words: readonly string[]): string | null {
  const own = ownWords(words);
  const values = own.flatMap((word, index) => {
    if (word === flag) return own.slice(index + 1, index + 2);
    return word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [];
  });
  const value = values.at(-1);
  return value === undefined || value === "" || value.includes("@") ? null : value;
}

/** The words that may be our flags: those after `--` belong to another program, or are arguments. */
export function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end === -1 ? words : words.slice(0, end);
}

/** A word, quoted for a shell where it needs to be. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
