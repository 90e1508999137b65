// How a command line becomes a run: the registration of a verb hands its work to this.
import type { Command } from "commander";
import type { ConfigurationUse } from "../config/run-configuration.ts";
import type { Context } from "../run/context.ts";

/** Makes the context from the command's flags, does the work, and ends what the context opened. */
export type Dispatch = (
  command: Command,
  work: (context: Context) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => Promise<void>;
