// The command to paste that resumes a job, made from this run's command line, or from the journal of an earlier run.
import type { Context } from "../run/context.ts";
import type { Contents, Head } from "../journal/entries.ts";
import { quoteWord } from "../printing/complete-commands.ts";

/** Flags that are good for one run only, so they are left out together with their values. */
const ofOneRun = ["--resume", "--otp"];

/** In a journal, the place of the file's identity where the values go to a command, whose words no journal has. */
export const commandIdentity = "command";

const commands: Readonly<Record<Exclude<Head["operation"], "unknown">, string>> = {
  create: "authorization create",
  "get-or-create": "authorization get-or-create",
  reset: "token reset",
  revoke: "token revoke",
  "revoke-grant": "token revoke-grant",
  "delete-grant": "grant delete",
  "delete-authorization": "authorization delete",
  rotate: "authorization rotate",
  report: "token report",
  run: "authorization run",
};

/**
 * Whether the items of an operation are IDs that its journal keeps, so that --resume needs no input. Tokens are secrets, and are
 * never kept.
 */
export function keepsIds(operation: Head["operation"]): boolean {
  return operation === "delete-grant" || operation === "delete-authorization";
}

/** The beginning of the hint before such a command. */
export function continueIt(operation: Head["operation"]): string {
  return keepsIds(operation) ? "continue it" : "continue it with the same input";
}

/**
 * This run's own command line with --resume and the journal's name; without the `-` that reads items, if the journal has
 * them.
 */
export function lineAsTyped({ host }: Context, journal: string, hasItems = false): string {
  const words: string[] = [];
  for (let index = 0; index < host.argv.length; index += 1) {
    const word = host.argv[index] ?? "";
    if (ofOneRun.includes(word)) index += 1;
    else if (!(hasItems && word === "-") && !ofOneRun.some((flag) => word.startsWith(`${flag}=`)))
      words.push(word);
  }
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return commandLine(...withoutHeaderValues(words.slice(0, end)), "--resume", journal, ...words.slice(end));
}

/** Hides the values of headers: one may be a secret, as a gateway's key, and standard error is often logged. */
function withoutHeaderValues(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    if (before === "--header" || /^-[a-z]*H$/.test(before)) return withoutValue(word);
    const attached = /^(--header=|-[a-z]*H)(.+)$/s.exec(word);
    return attached === null ? word : `${attached[1] ?? ""}${withoutValue(attached[2] ?? "")}`;
  });
}

function withoutValue(header: string): string {
  const name = /^[^:]*:/.exec(header)?.[0];
  return name === undefined ? "…" : `${name} …`;
}

/**
 * The command made from a journal, for a run of another command such as `recover`, with that run's profile and address.
 */
export function lineFromHead(
  context: Context,
  { head, ids }: Pick<Contents, "head" | "ids">,
  journal: string,
): string {
  const { operation, shard, address, keepsOld, output } = head;
  if (operation === "unknown") return `grantctl recover show ${journal}`;
  const isElsewhere = !context.address.isAt(address);
  return commandLine(
    ...commands[operation].split(" "),
    ...((keepsIds(operation) && ids === null) || operation === "rotate" ? ["-"] : []),
    ...(keepsOld === true ? ["--keep-old"] : []),
    ...(shard === undefined ? [] : ["--shard", shard]),
    ...receiverOf(output),
    "--resume",
    journal,
    ...(isElsewhere ? ["--base-url", address] : typedPlace(context)),
  );
}

/** The flag that says where values go, with a word to be replaced: without it, they would be printed. */
function receiverOf(output: string | undefined): readonly string[] {
  if (output === undefined) return [];
  return output === commandIdentity ? ["--to-command", "CMD"] : ["--output-file", "FILE"];
}

/**
 * A command of grantctl for a message. The profile and address that were typed for this run are added on printing.
 */
export function commandLine(...words: readonly string[]): string {
  return ["grantctl", ...words.map(quoteWord)].join(" ");
}

function typedPlace({ options: { profile, baseUrl } }: Context): readonly string[] {
  return [
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
  ];
}
