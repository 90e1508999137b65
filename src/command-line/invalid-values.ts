// Explains invalid values of flags and arguments, and flags of other tools that grantctl lacks.
//
// Messages never repeat an invalid value, because it may be a secret. They name the flag or argument, and the valid
// values.
import type { Command, CommanderError } from "commander";
import { lineageOf } from "./command.ts";
import { argumentName, commandName } from "./help-page.ts";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { either } from "../errors/words.ts";

/** The message for an error of commander about this command's arguments or flags. */
export function wrongValueMessage({ code, message }: CommanderError, command: Command): string {
  switch (code) {
    case "commander.excessArguments":
      return excessMessage(command);
    case "commander.missingArgument":
      return `missing argument: <${lastQuoted(message)}>`;
    case "commander.optionMissingArgument":
      return `${withoutShortForm(lastQuoted(message))} needs a value`;
    case "commander.missingMandatoryOptionValue":
      return `${withoutShortForm(lastQuoted(message))} is missing`;
    case "commander.conflictingOption":
      return `${[...message.matchAll(/'(-.*?)'/g)].map(([, flags = ""]) => longFlag(flags)).join(" and ")} cannot be used together`;
    case "commander.invalidArgument":
      return invalidMessage(message, command);
    default:
      return "the command line cannot be parsed";
  }
}

function excessMessage(command: Command): string {
  const taken = command.registeredArguments.map(argumentName);
  // A variadic argument accepts any number of words, so the excess ones were meant for another command.
  if (command.registeredArguments.some(({ variadic }) => variadic)) return "too many arguments";
  return `too many arguments: ${commandName(command)} takes ${taken.length === 0 ? "none" : `only ${taken.join(" ")}`}`;
}

/** The message for an invalid value: commander's own text without the value in its middle. */
function invalidMessage(message: string, command: Command): string {
  const [, flags] = /^error: option '(.*?)' argument '/s.exec(message) ?? [];
  const [, reason = ""] = /.*' is invalid(?: for argument '[^']*')?\. (.*)$/s.exec(message) ?? [];
  if (flags !== undefined) {
    const option = lineageOf(command)
      .flatMap(({ options }) => options)
      .find((candidate) => candidate.flags === flags);
    return explainValue(longFlag(flags), option?.argChoices, reason);
  }
  const [, name = ""] = /.*' is invalid for argument '([^']*)'\. /s.exec(message) ?? [];
  const argument = command.registeredArguments.find((candidate) => candidate.name() === name);
  return explainValue(`<${name}>`, argument?.argChoices, reason);
}

function explainValue(what: string, choices: readonly string[] | undefined, reason: string): string {
  return choices === undefined
    ? `${what}: ${reason.replace(/\.$/, "")}`
    : `${what} must be one of ${either(choices)}`;
}

/** `--limit` of `-l, --limit <n>`. */
function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

/** `--header <header>` of `-H, --header <header>`. */
function withoutShortForm(flags: string): string {
  return flags.replace(/^-[^-].*?(?=--)/, "");
}

/** The last quoted name in commander's message: our flag or argument. */
function lastQuoted(message: string): string {
  return /'([^']*)'[^']*$/.exec(message)?.[1] ?? "";
}

const secret = "a secret is never a flag: it would be visible in ps and in your shell's history";
const verified = "certificates are always verified: no flag turns that off";
const lastUse = "the server does not report when a token was last used";

const passwordHint = "Run `grantctl auth login`, set GRANTCTL_PASSWORD, or use --password-stdin.";
const clientSecretHint = "Set GRANTCTL_CLIENT_SECRET, or use --client-secret-stdin.";
const apiTokenHint = "Set GRANTCTL_TOKEN, or run `grantctl auth login --with-token < FILE`.";
const updatedHint = "The nearest field is updated_at, the date of the last update.";

const formats = "Use --json, or --format table, tsv, csv, json or ndjson.";

const flags: readonly (readonly [names: string, message: string, hint: string])[] = [
  ["--password -p --pass", secret, passwordHint],
  ["--user -u", secret, `Use --username NAME. ${passwordHint}`],
  ["--client-secret --secret", secret, clientSecretHint],
  ["--token --access-token --tokens", secret, apiTokenHint],
  ["--insecure -k", verified, "Use --ca-cert FILE to trust an authority of your own."],
  ["--last-used --last-used-at --unused-for --unused-since --not-used-for", lastUse, updatedHint],
  ["-V -v", "the version has no short flag", "Run `grantctl --version`."],
  [
    "--file --input-file --tokens-file",
    "grantctl has no flag of this name",
    "Use --token-file FILE, or < FILE.",
  ],
  ["--from", "the format of a report is detected", "Use --token-file FILE, or < FILE."],
  ["-L", "-L is not a flag of grantctl", "Use --limit N."],
  ["--output -o", "grantctl has no --output flag", formats],
  ["--template", "--template is not supported", "Use --jq to format a result."],
  ["--web", "grantctl never opens a browser", "Use --json to see every URL."],
];

/** The failure for a filter that a list lacks, with the nearest existing filter; null for any other flag. */
function absentFilterFailure(flag: string, noun: string): Failure | null {
  const refuse = (message: string, hint: string): Failure =>
    usageFailure(`${flag} does not exist: ${message}`, hint);
  switch (flag) {
    case "--unused-for":
    case "--not-used-for":
    case "--last-used":
      return refuse(
        lastUse,
        `Run \`grantctl ${noun} list --not-updated-for 90d\` to filter by the last change of its data.`,
      );
    case "--note":
    case "--fingerprint":
      return refuse(
        "a grant covers all tokens of an application, each with its own note and fingerprint",
        "Run `grantctl authorization list --note TEXT`.",
      );
    case "--expires-within":
      return refuse(
        "a grant covers all tokens of an application, each with its own expiration date",
        "Run `grantctl authorization list --expires-within 30d`.",
      );
    default:
      return null;
  }
}

/** The failure for a flag that grantctl lacks; null for any other. `command` is a full name: `grantctl token check`. */
export function absentFlagFailure(flag: string, command: string): Failure | null {
  const [, noun] = /^grantctl (grant|authorization) list$/.exec(command) ?? [];
  const ofList = noun === undefined ? null : absentFilterFailure(flag, noun);
  if (ofList !== null) return ofList;
  const sought = flags.find(([names]) => names.split(" ").includes(flag));
  if (sought === undefined) return null;
  const [, message, hint] = sought;
  const isTokenList = hint === apiTokenHint && command.startsWith("grantctl token ");
  return usageFailure(message, isTokenList ? `Use \`${command} < FILE\`, or --token-file FILE.` : hint);
}
