// The way by which every command changes the configuration file, or with --dry-run shows the change.
import { configurationPath, type Configuration } from "../config/configuration.ts";
import type { Edit } from "../config/edit-configuration.ts";
import type { Context } from "./context.ts";

/**
 * Calls `decide` with the configuration as it is now, makes the edits it returns, and returns the configuration with
 * those edits; unchanged with --dry-run.
 */
export async function editConfigurationOf(
  context: Context,
  decide: (configuration: Configuration) => readonly Edit[],
): Promise<Configuration> {
  if (context.options.dryRun === true) {
    const { configuration } = context.configured;
    for (const { path, value } of decide(configuration)) {
      context.notices.note(`would ${value === undefined ? "unset" : "set"} ${path.join(".")}`);
    }
    return configuration;
  }
  const { editConfiguration } = await import("../config/edit-configuration.ts");
  const { machine, processes } = context.host;
  const path = configurationPath(context.configurationFolder());
  return editConfiguration(path, { userId: machine.userId, processes }, decide);
}
