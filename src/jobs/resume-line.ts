// The command to paste that resumes a job, made from this run's command line, or from the journal of an earlier run.
import type { Context } from "../run/context.ts";
import type { Head } from "../journal/entries.ts";
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

/** This run's own command line with --resume and the journal's name; `more` are items that were picked, not typed. */
export function lineAsTyped({ host }: Context, journal: string, more: readonly string[] = []): string {
  const words: string[] = [];
  for (let index = 0; index < host.argv.length; index += 1) {
    const word = host.argv[index] ?? "";
    if (ofOneRun.includes(word)) index += 1;
    else if (!ofOneRun.some((flag) => word.startsWith(`${flag}=`))) words.push(word);
  }
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  return commandLine(
    ...withoutHeaderValues(words.slice(0, end)),
    ...more,
    "--resume",
    journal,
    ...words.slice(end),
  );
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
  { operation, shard, address, keepsOld, output }: Head,
  journal: string,
): string {
  if (operation === "unknown") return `grantctl recover show ${journal}`;
  const isElsewhere = !context.address.isAt(address);
  return commandLine(
    ...commands[operation].split(" "),
    ...(operation.startsWith("delete") || operation === "rotate" ? ["-"] : []),
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
