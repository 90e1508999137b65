// The objects that all parts of a run share (host, flags, settings, notices and so on), created once in context.ts.
import type { GlobalOptions } from "../config/global-options.ts";
import type { RunConfiguration } from "../config/configuration.ts";
import type { Settings } from "../config/settings.ts";
import type { StandardInput } from "../credentials/standard-input.ts";
import type { Host } from "../system/host.ts";
import type { ServerType } from "../server-types.ts";
import type { Notices } from "../output/notices.ts";
import type { Progress } from "../output/progress.ts";
import type { Prompter } from "../prompt/prompter.ts";
import type { Redactor } from "../redaction.ts";

export interface RunParts {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly serverType: ServerType;
  readonly notices: Notices;
  /** Shows the progress of long work, on a terminal, unless --quiet. */
  readonly progress: Progress;
  /** Redacts the secrets that were added to it, in everything but results. */
  readonly redactor: Redactor;
  readonly standardInput: StandardInput;
  /** Prompts on the controlling terminal; every prompt fails with --no-input. */
  readonly prompter: Prompter;
}

/** Memoises `make`; after a throw, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
