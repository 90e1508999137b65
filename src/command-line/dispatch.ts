// How a command line becomes a run: the registration of a command hands its work to this.
import type { Command } from "commander";
import type { ConfigurationUse } from "../config/run-configuration.ts";
import type { Context } from "../run/context.ts";

/** Makes the context from the command's flags, does the work, and ends what the context opened. */
export type Dispatch = (
  command: Command,
  work: (context: Context) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => Promise<void>;

/** What commander is given as the action of a command: `run` gets the context, then the arguments and the flags. */
export type Act = <Given extends readonly unknown[]>(
  run: (context: Context, ...given: Given) => Promise<void>,
  configurationUse?: ConfigurationUse,
) => (...given: readonly unknown[]) => Promise<void>;

/** Actions that are carried out by `dispatch`. Commander gives an action the command itself last. */
export function actBy(dispatch: Dispatch): Act {
  return <Given extends readonly unknown[]>(
    run: (context: Context, ...given: Given) => Promise<void>,
    configurationUse?: ConfigurationUse,
  ) => {
    return (...given) => {
      const work = (context: Context): Promise<void> => run(context, ...(given as unknown as Given));
      return dispatch(given.at(-1) as Command, work, configurationUse);
    };
  };
}
