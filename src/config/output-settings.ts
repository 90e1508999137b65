// How a run prints: its format and its colours, from flags, environment and what standard output is.
import type { GlobalOptions, OutputFormat } from "./global-options.ts";

export interface OutputSettings {
  readonly format: OutputFormat;
  /** What `--json` was given: a list of fields, or null for all. */
  readonly fields: string | null;
  readonly hasColours: boolean;
}

/** The format as asked for, else JSON for --json, a table for a terminal, tsv for a pipe; colours as everywhere. */
export function outputSettings(
  options: Pick<GlobalOptions, "format" | "json" | "color">,
  environment: Readonly<Record<string, string>>,
  isTerminal: boolean,
): OutputSettings {
  const byDefault = options.json !== undefined ? "json" : isTerminal ? "table" : "tsv";
  return {
    format: options.format ?? byDefault,
    fields: typeof options.json === "string" ? options.json : null,
    hasColours: options.color ?? mayColour(environment, isTerminal),
  };
}

function mayColour(environment: Readonly<Record<string, string>>, isTerminal: boolean): boolean {
  if (environment["NO_COLOR"] !== undefined) return false;
  const forced = environment["FORCE_COLOR"];
  return forced === undefined ? isTerminal && environment["TERM"] !== "dumb" : forced !== "0";
}
