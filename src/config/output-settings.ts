// The output of a run: its format, from flags and the type of standard output, and its colours.
import { usageFailure } from "../errors/errors.ts";
import type { GlobalOptions, OutputFormat } from "./global-options.ts";
import { isSwitchedOn } from "./settings.ts";

/** The format is that of --format, else JSON for --json and --jq, else a table on a terminal and TSV otherwise. */
export function outputSettings(
  options: Pick<GlobalOptions, "format" | "json" | "jq" | "color">,
  environment: Readonly<Record<string, string>>,
  isTerminal: boolean,
) {
  const requested =
    options.format ?? (options.json === undefined && options.jq === undefined ? undefined : "json");
  if (options.jq !== undefined && requested !== "json" && requested !== "ndjson") {
    throw usageFailure("--jq requires JSON output", "Omit --format, or use --format json or ndjson.");
  }
  // html applies only to the audit document; anything else that audit prints is a table.
  const format: OutputFormat | undefined = requested === "html" ? "table" : requested;
  return {
    format: format ?? (isTerminal ? "table" : "tsv"),
    /** True if a flag set the format. */
    isFormatRequested: requested !== undefined,
    hasColours: options.color && mayColour(environment, isTerminal),
  };
}

/** True for colours by default: by the variables, else if the output is a terminal that has them. */
export function mayColour(environment: Readonly<Record<string, string>>, isTerminal: boolean): boolean {
  if (environment["NO_COLOR"] !== undefined) return false;
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined) return isSwitchedOn(forced);
  return isTerminal && environment["TERM"] !== "dumb";
}
