// The only way for commands to change the configuration file.
import { configurationPath, type Configuration } from "../config/configuration.ts";
import { trustOf } from "../config/folders.ts";
import { isSameUrl, toBaseUrl } from "../config/setting-forms.ts";
import { usageFailure } from "../errors/errors.ts";
import { both } from "../errors/words.ts";
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

/**
 * Throws a usage failure if a profile with commands that print secrets would move to another base URL, where what they
 * print would then be sent. Stored secrets stay with their URL.
 */
export function checkKeepsServer(baseUrl: string, { configured: { profile }, serverType }: Context): void {
  const { base_url: before } = profile.values;
  const commands = (["password_command", "client_secret_command", "otp_command"] as const).filter(
    (key) => profile.values[key] !== undefined,
  );
  if (commands.length === 0 || before === undefined) return;
  if (isSameUrl(toBaseUrl(before, serverType), baseUrl)) return;
  throw usageFailure(
    `the profile ${profile.name} is for ${before}, and ${baseUrl} would be sent what its ${both(commands)} ${commands.length === 1 ? "prints" : "print"}`,
    `Use another profile with --profile NAME, or run \`grantctl config unset ${commands[0]}\`.`,
  );
}
