// Completes the commands in hints with the --profile and --base-url of this run.
//
// Without these flags, a pasted command would go to another service. Every printed line passes through here, so
// messages name commands without them. A flag that the command already has is not repeated, and a URL that may contain
// a password is never added.

/** Matches the beginning of commands that use a profile or a base URL. */
const scopedCommand =
  /\bgrantctl (?:--profile \S+ )?(?=(?:grant|authorization|token|auth|recover|api|doctor|audit|config (?:get|set|unset))\b)/g;

const flags = ["--profile", "--base-url"] as const;

/** Creates the function that completes the commands in a line; `words` is the command line of this run. */
export function createCommandCompleter(words: readonly string[]): (line: string) => string {
  const typed = flags.flatMap((flag) => {
    const value = typedValue(flag, words);
    return value === null ? [] : [{ flag, text: `${flag} ${quoteWord(value)} ` }];
  });
  if (typed.length === 0) return (line) => line;
  return (line) =>
    line.replaceAll(scopedCommand, (command, at: number) => {
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
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end === -1 ? words : words.slice(0, end);
}

/** Quotes a word for a POSIX shell if necessary. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
