// The command that resumes a job: the command line of its first run with --resume.
import { quoteCommand } from "../config/command-words.ts";
import type { Context } from "../run/context.ts";
import type { Head } from "./journal.ts";
import { traitsOf, type JournalOperation } from "./operations.ts";

/** A command line without the flags of one run and their values: a one-time password is a secret for a minute. */
export function forLaterRuns(argv: readonly string[]): string[] {
  const flags = ["--resume", "--otp"];
  return argv.filter(
    (word, index) =>
      !flags.includes(word) &&
      !flags.includes(argv[index - 1] ?? "") &&
      !flags.some((flag) => word.startsWith(`${flag}=`)),
  );
}

/** How the job goes on, for a hint. `isWritten`: its output file exists, and is to be replaced. */
export function resumeHint(
  head: Head,
  id: string,
  context: Pick<Context, "server">,
  isWritten: boolean,
): string {
  const { argv, operation, server, reads_input } = head;
  const { keepsIds } = traitsOf(operation);
  // The `-` for standard input goes if the record has the items.
  const words = argv.filter((word) => !(keepsIds && word === "-"));
  const end = words.indexOf("--");
  const operands = end === -1 ? [] : words.splice(end);
  if (isWritten && !words.includes("--force")) words.push("--force");
  if (!context.server.isAt(server) && !words.includes("--base-url")) words.push("--base-url", server);
  const how = reads_input === true && !keepsIds ? " with the same input" : "";
  return `Run \`${commandLine(...words, "--resume", id, ...operands)}\`${how} to continue.`;
}

/** The hint if the input is not the one that the job was started with. */
export function sameInputHint(operation: JournalOperation): string {
  return traitsOf(operation).keepsIds
    ? "Leave out the IDs: --resume continues with those in the record."
    : "Give it the list that the job was started with, or a part of it. If the list is lost, start a new job; `grantctl recover show ID` prints the values that this one has made, and `grantctl recover forget ID` deletes them.";
}

/**
 * A command of grantctl for a message. The profile and base URL that were typed for this run are added on printing.
 */
export function commandLine(...words: readonly string[]): string {
  return quoteCommand(["grantctl", ...words]);
}
