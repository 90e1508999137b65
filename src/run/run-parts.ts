// What every part of a run needs (host, flags, settings, notices …): made once in context.ts and handed on as one
// object.
import type { GlobalOptions } from "../config/global-options.ts";
import type { RunConfiguration } from "../config/run-configuration.ts";
import type { Settings } from "../config/settings.ts";
import type { StandardInput } from "../credentials/standard-input.ts";
import type { Host } from "../host/host.ts";
import type { Operator } from "../operators.ts";
import type { Notices } from "../printing/notices.ts";
import type { Progress } from "../printing/progress.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { Prompter } from "../prompt/prompter.ts";

export interface RunParts {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly operator: Operator;
  readonly notices: Notices;
  /** Shows how far long work has come, on a terminal, unless --quiet. */
  readonly progress: Progress;
  /** Hides the secrets that were added to it, in everything but results. */
  readonly redactor: Redactor;
  readonly standardInput: StandardInput;
  /** Asks on the controlling terminal; refuses every question with --no-input. */
  readonly prompter: Prompter;
}
