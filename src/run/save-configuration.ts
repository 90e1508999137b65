// The only way for commands to change the configuration file. Warns if a profile with secret commands moves to another
// origin, because the secrets will be sent there.
import { configurationPath, type Configuration } from "../config/configuration.ts";
import { trustOf } from "../config/folders.ts";
import type { ProfileValues } from "../config/settings.ts";
import type { Context } from "./context.ts";

/** Writes the configuration that `change` makes of the current one. */
export async function editConfigurationOf(
  context: Context,
  change: (configuration: Configuration) => Configuration,
): Promise<void> {
  const { editConfiguration } = await import("../config/edit-configuration.ts");
  const path = configurationPath(context.configurationFolder());
  await editConfiguration(path, trustOf(context.host), change);
}

/** Warns about the commands of a profile that moves to another origin. Stored secrets are bound to their origin. */
export function warnOfMovedProfile(baseUrl: string, values: ProfileValues, { notices }: Context): void {
  const commands = (["password_command", "client_secret_command", "otp_command"] as const).filter(
    (key) => values[key] !== undefined,
  );
  const before = values.base_url;
  if (commands.length === 0 || before === undefined || new URL(before).origin === new URL(baseUrl).origin)
    return;
  notices.warn(`${commands.join(", ")} of this profile now apply to ${new URL(baseUrl).origin}`);
}
