// Shared by all parts of a run: host, flags, settings, notices and so on, created once in context.ts, and values that
// are created on first use.
import type { GlobalOptions } from "../config/global-options.ts";
import type { RunConfiguration } from "../config/run-configuration.ts";
import type { Settings } from "../config/settings.ts";
import type { StandardInput } from "../credentials/standard-input.ts";
import type { Host } from "../host/host.ts";
import type { Operator } from "../operators.ts";
import type { Notices } from "../printing/notices.ts";
import type { Progress } from "../printing/progress.ts";
import type { Prompter } from "../prompt/prompter.ts";
import type { Redactor } from "../redaction/redact.ts";

export interface RunParts {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly operator: Operator;
  readonly notices: Notices;
  /** Shows the progress of long work, on a terminal, unless --quiet. */
  readonly progress: Progress;
  /** Redacts the secrets that were added to it, in everything but results. */
  readonly redactor: Redactor;
  readonly standardInput: StandardInput;
  /** Prompts on the controlling terminal; rejects every question with --no-input. */
  readonly prompter: Prompter;
}

/** A function that calls `make` on first use and returns the same value every time; after a throw it tries again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
