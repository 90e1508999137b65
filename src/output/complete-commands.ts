// Completes the commands in a line with the --profile and --base-url that were typed: without them, a pasted command would
// go to another server. Every line passes through here, so that messages name commands without these flags.
import { quoteCommand } from "../config/command-words.ts";
import type { GlobalOptions } from "../config/global-options.ts";

/** The beginning of a command that uses a profile or a base URL. */
const scopedCommand =
  /\bgrantctl (?![^`\n]*--help)(?=(?:grant|authorization|token|auth|recover|api|doctor|audit|config (?:get|set|unset))\b)[^`;|\n]*/g;

export function createCommandCompleter({
  profile,
  baseUrl,
}: Pick<GlobalOptions, "profile" | "baseUrl">): (line: string) => string {
  const flags = Object.entries({ "--profile": profile, "--base-url": baseUrl }).flatMap(([flag, value]) =>
    // A URL that may contain a password is never added.
    value === undefined || value === "" || value.includes("@")
      ? []
      : [{ flag, text: ` ${flag} ${quoteCommand([value])}` }],
  );
  return (line) =>
    line.replaceAll(scopedCommand, (command) => {
      const added = flags.flatMap(({ flag, text }) => (command.includes(flag) ? [] : [text]));
      return command.replace(/^grantctl [a-z]+(?: [a-z][a-z-]*)?/, (words) => words + added.join(""));
    });
}
