// What the file of a command is written with: its examples, its action, and the context of its run.
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

/** What commander is given as the action of a command: `run` gets the context, then the arguments and the flags. */
export type Act = (
  run: (context: Context, ...given: never[]) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => (...given: readonly unknown[]) => Promise<void>;

/** Gives a command what the table of commands leaves out: its flags, arguments and action. */
export type Define = (command: Command, act: Act, commands: CommandTable) => void;

/** Actions that are carried out by `dispatch`. Commander gives an action the command itself last. */
export function actBy(dispatch: Dispatch): Act {
  return (run, configurationUse) =>
    (...given) =>
      dispatch(given.at(-1) as Command, (context) => run(context, ...(given as never[])), configurationUse);
}
