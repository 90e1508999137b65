// The output of a run: its format, from flags and the type of standard output, and its colours.
import { usageFailure } from "../errors/errors.ts";
import type { GlobalOptions, OutputFormat } from "./global-options.ts";
import { isSwitchedOn } from "./settings.ts";

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
