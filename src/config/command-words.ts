// Command lines: splits and quotes those of settings, without a shell, and makes grantctl's own for messages.
import { usageFailure } from "../errors/errors.ts";

/**
 * Splits a command line into words. Supports the shell's quotes and backslashes, but no expansion: `$` and `*` are
 * literal. Throws a usage failure, about `what`, if the line needs a shell, has an open quote, or is empty.
 */
export function splitCommand(line: string, what = "the command"): readonly [string, ...string[]] {
  const refusal = (): Error =>
    usageFailure(
      `${what} is empty, has an open quotation mark, or needs a shell`,
      "Commands are run without a shell. Use `sh -c '…'` to run one.",
    );
  const words: string[] = [];
  const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([|&;<>()'"\\])|([^\s'"\\|&;<>()]+)/gsu;
  let word: string | null = null;
  for (const [, space, single, double, escaped, special, plain] of line.matchAll(piece)) {
    // A shell would treat a number sign as the start of a comment.
    if (special !== undefined || (word === null && plain?.startsWith("#") === true)) throw refusal();
    if (space === undefined) {
      const text = single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
      word = (word ?? "") + text;
    } else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === "") throw refusal();
  return [program, ...rest];
}

/** Joins words into a line that splitCommand splits into the same words. */
export function quoteCommand(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(" ");
}

/**
 * A command of grantctl for a message. The profile and base URL that were typed for this run are added on printing.
 */
export function commandLine(...words: readonly string[]): string {
  return quoteCommand(["grantctl", ...words]);
}

/**
 * A command line without the flags of one run and their values: a one-time password is a secret for a minute, and the
 * record has the receiver.
 */
export function forLaterRuns(argv: readonly string[]): string[] {
  const flags = ["--resume", "--otp", "--output-file", "--to-command"];
  return argv.filter(
    (word, index) =>
      word !== "--dry-run" &&
      !flags.includes(word) &&
      !flags.includes(argv[index - 1] ?? "") &&
      !flags.some((flag) => word.startsWith(`${flag}=`)),
  );
}
