// The global flags: those of settings, from the table of settings, and those that only a run has; and the output that they
// choose.
import { InvalidArgumentError, Option, type Command } from "commander";
import { usageFailure } from "../errors/errors.ts";
import { isSwitchedOn, settingTable, type FlagValues } from "./settings.ts";

export const outputFormats = ["table", "tsv", "csv", "json", "ndjson"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** With the document, which only `audit` supports. */
export const auditFormats = ["html", ...outputFormats] as const;
export type AuditFormat = (typeof auditFormats)[number];

/** The parsed global flags; undefined if not given. */
export interface GlobalOptions extends FlagValues {
  readonly profile?: string;
  readonly passwordStdin?: true;
  readonly clientSecretStdin?: true;
  readonly json?: true | string;
  readonly jq?: string;
  readonly format?: AuditFormat;
  readonly input: boolean;
  readonly yes?: true;
  readonly quiet?: true;
  readonly debug?: true;
  readonly color: boolean;
  readonly timeout: number;
  readonly concurrency: number;
}

/** Adds the global flags, grouped by help heading. They are accepted before and after the command's own flags. */
export function addGlobalOptions(program: Command): void {
  const groups: Readonly<Record<string, readonly Option[]>> = {
    "Server and credentials": [
      new Option("--profile <name>", "Profile to use"),
      settingOption("baseUrl"),
      settingOption("serverType"),
      settingOption("username"),
      new Option("--password-stdin", "Read the password from standard input"),
      settingOption("otp"),
      settingOption("clientId"),
      new Option("--client-secret-stdin", "Read the client secret from standard input"),
    ],
    Output: [
      new Option("--json [fields]", "Output JSON, optionally limited to these comma-separated fields"),
      new Option(
        "--jq <expression>",
        "Filter JSON output with a jq expression; prints strings without quotes",
      ),
      // Checked in run-command.ts: which formats there are depends on the command, which is not known yet.
      new Option("--format <format>", "Output format").choices(outputFormats).argParser(String),
      new Option("--quiet", "Suppress informational messages on standard error"),
      new Option("--debug", "Log each request to standard error, without secrets"),
      new Option("--no-color", "Disable colors"),
    ],
    Prompts: [
      new Option("--no-input", "Never prompt; fail instead"),
      new Option("-y, --yes", "Skip confirmation prompts"),
    ],
    Connection: [
      new Option("--timeout <seconds>", "Timeout per request").default(30).argParser(parseSeconds),
      new Option("--concurrency <n>", "Maximum number of concurrent requests")
        .default(8)
        .argParser(parsePositive),
      settingOption("caCert").argParser(parseFilled),
    ],
  };
  for (const [heading, options] of Object.entries(groups)) {
    for (const option of options) program.addOption(option.helpGroup(heading));
  }
}

function settingOption(name: keyof typeof settingTable): Option {
  const { flag = "", meaning, choices } = settingTable[name];
  const option = new Option(flag, meaning);
  return choices === undefined ? option : option.choices(choices);
}

export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/** Collects scopes from repeated flags and comma-separated lists; drops empty ones. */
export function collectScopes(value: string, previous: readonly string[] = []): readonly string[] {
  const scopes = value
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  if (scopes.some((scope) => /\s/.test(scope)))
    throw usageFailure("a scope contains a blank", "Separate scopes with commas, or repeat the flag.");
  return [...previous, ...scopes];
}

/** The same for at least one: an empty variable must not mean a token without scopes. */
export function collectSomeScopes(value: string, previous: readonly string[] = []): readonly string[] {
  const scopes = collectScopes(value, previous);
  if (scopes.length === previous.length)
    throw usageFailure("a scope is empty", "Name a scope, or leave the flag out.");
  return scopes;
}

/** Parses a positive integer; throws commander's InvalidArgumentError. */
export function parsePositive(text: string): number {
  if (!/^0*[1-9]\d*$/.test(text)) throw new InvalidArgumentError("must be a positive integer");
  return parseCount(text);
}

/** Parses an integer that is far below the limit of exact ones; throws commander's InvalidArgumentError. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("must be an integer from 0 to 999999999");
  return Number(text);
}

/** Rejects an empty text, as from an unset shell variable: it would match every item, or weaken the TLS checks. */
export function parseFilled(text: string): string {
  if (text === "") throw new InvalidArgumentError("must not be empty");
  return text;
}

/** The parser of a flag that is given once: of two values, commander would drop the first without a word. */
export function once<Value>(parse: (text: string) => Value) {
  return (text: string, previous?: Value): Value => {
    if (previous !== undefined) throw new InvalidArgumentError("can be given only once");
    return parse(text);
  };
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > 86_400) {
    throw new InvalidArgumentError("must be a number of seconds, more than 0 and at most 86400");
  }
  return value;
}

/** The format is that of --format, else JSON for --json and --jq, else a table on a terminal and TSV otherwise. */
export function outputSettings(
  { format, json, jq, color }: Pick<GlobalOptions, "format" | "json" | "jq" | "color">,
  environment: Readonly<Record<string, string>>,
  isTerminal: boolean,
) {
  const requested = format ?? (json === undefined && jq === undefined ? undefined : "json");
  if (jq !== undefined && requested !== "json" && requested !== "ndjson")
    throw usageFailure("--jq requires JSON output", "Omit --format, or use --format json or ndjson.");
  // html applies only to the audit document; anything else that audit prints is a table.
  const printed: OutputFormat | undefined = requested === "html" ? "table" : requested;
  return {
    format: printed ?? (isTerminal ? "table" : "tsv"),
    isFormatRequested: requested !== undefined,
    hasColours: color && mayColour(environment, isTerminal),
  };
}

/** True for colours by default: by the variables, else if the output is a terminal that has them. */
export function mayColour(environment: Readonly<Record<string, string>>, isTerminal: boolean): boolean {
  if (environment["NO_COLOR"] !== undefined) return false;
  const forced = environment["FORCE_COLOR"];
  return forced === undefined ? isTerminal && environment["TERM"] !== "dumb" : isSwitchedOn(forced);
}
