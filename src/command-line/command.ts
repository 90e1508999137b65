// What every file of a command imports: how it adds examples and its action, and the type of its context.
import type { Command } from "commander";
import type { ConfigurationUse } from "../config/run-configuration.ts";
import type { Context } from "../run/context.ts";
import type { CommandTable } from "./command-table.ts";

export { addExamples } from "./examples.ts";
export type { Context };

/** Makes the context from the command's flags, does the work, and ends what the context opened. */
export type Dispatch = (
  command: Command,
  work: (context: Context) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => Promise<void>;

/** Makes commander's action of a command from `run`, which gets the context, then the arguments and the flags. */
export type Act = (
  run: (context: Context, ...given: never[]) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => (...given: readonly unknown[]) => Promise<void>;

/** Defines a command of the table, which has only its name and summary: adds its flags, arguments and action. */
export type Define = (command: Command, act: Act, commands: CommandTable) => void;

/** Makes actions that `dispatch` carries out. Commander passes the command itself as the last argument. */
export function actBy(dispatch: Dispatch): Act {
  return (run, configurationUse) =>
    (...given) =>
      dispatch(given.at(-1) as Command, (context) => run(context, ...(given as never[])), configurationUse);
}
