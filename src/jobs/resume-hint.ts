// Builds the command that resumes a job, from this run's command line or from the journal of an earlier run.
import { dirname } from "node:path";
import type { Contents, Head } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import { traitsOf } from "../journal/operations.ts";
import { quoteWord } from "../printing/complete-commands.ts";
import type { Context } from "../run/context.ts";

/** Flags that are valid for one run only; omitted together with their values. */
const ofOneRun = ["--resume", "--otp"];

/** Replaces the file's identity in a journal if the tokens go to a command. The command itself is never recorded. */
export const commandIdentity = "command";

/** `isRedirected`: the tokens go to a file that a shell's `>` would truncate. */
export function resumeHint(
  context: Context,
  operation: Head["operation"],
  journal: Pick<Journal, "id" | "path">,
  isRedirected = false,
): string {
  // A journal in another folder than this run's is named by its path.
  const name = dirname(journal.path) === context.stateFolder() ? journal.id : journal.path;
  const conditions = [
    ...(readsStandardInput(context, operation) ? ["with the same input"] : []),
    ...(isRedirected ? ["with >> instead of >"] : []),
  ];
  const how = conditions.map((condition) => ` ${condition}`).join(" and");
  return `Run \`${resumeCommand(context, operation, name)}\`${how} to continue.`;
}

/** True if the command line needs the items on standard input again: `-` for IDs, or no file for tokens. */
function readsStandardInput({ host }: Context, operation: Head["operation"]): boolean {
  const { keepsIds, command } = traitsOf(operation);
  if (!command.startsWith("token ")) return !keepsIds && host.argv.includes("-");
  return !host.argv.some((word) => word === "--token-file" || word.startsWith("--token-file="));
}

/** The hint if the input is not the one that the job was started with. */
export function sameInputHint(operation: Head["operation"]): string {
  return traitsOf(operation).keepsIds
    ? "Leave out the IDs: --resume continues with those in the journal."
    : "Give it the whole list that the job was started with, including finished items. If the list is lost, start a new job, and run `grantctl recover forget ID` for this one.";
}

/**
 * This run's command line with --resume and the journal's name. Omits the `-` for standard input if the journal has the
 * items.
 */
export function resumeCommand({ host }: Context, operation: Head["operation"], journal: string): string {
  const { keepsIds } = traitsOf(operation);
  const words: string[] = [];
  for (let index = 0; index < host.argv.length; index += 1) {
    const word = host.argv[index] ?? "";
    if (ofOneRun.includes(word)) index += 1;
    else if (!(keepsIds && word === "-") && !ofOneRun.some((flag) => word.startsWith(`${flag}=`)))
      words.push(word);
  }
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return commandLine(...words.slice(0, end), "--resume", journal, ...words.slice(end));
}

/**
 * The command that resumes a job, built from its journal by another command such as `recover`, with that run's profile
 * and base URL.
 */
export function resumeCommandFromHead(
  context: Context,
  { head, ids }: Pick<Contents, "head" | "ids">,
  journal: string,
): string {
  const { operation, address, keepsOld, output } = head;
  const { command, keepsIds } = traitsOf(operation);
  if (operation === "unknown") return commandLine(...command.split(" "), journal);
  const isElsewhere = !context.server.isAt(address);
  return commandLine(
    ...command.split(" "),
    ...((keepsIds && ids === null) || operation === "rotate" ? ["-"] : []),
    // Without it, the command would prompt for one token.
    ...(command.startsWith("token ") ? ["--token-file", "FILE"] : []),
    ...(keepsOld === true ? ["--keep-old"] : []),
    ...receiverFlags(output),
    "--resume",
    journal,
    ...(isElsewhere ? ["--base-url", address] : targetFlags(context)),
  );
}

/** The flag for the receiver of the tokens, with a placeholder: without the flag, they would be printed. */
function receiverFlags(output: string | undefined): readonly string[] {
  if (output === undefined) return [];
  return output === commandIdentity ? ["--to-command", "CMD"] : ["--output-file", "FILE"];
}

/**
 * A command of grantctl for a message. The profile and base URL that were typed for this run are added on printing.
 */
export function commandLine(...words: readonly string[]): string {
  return ["grantctl", ...words.map(quoteWord)].join(" ");
}

function targetFlags({ options: { profile, baseUrl } }: Context): readonly string[] {
  return [
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
  ];
}
