// The only way for commands to change the configuration file: under a lock, rewritten whole, and the result is checked first.
import { dirname } from "node:path";
import {
  configurationPath,
  parseConfiguration,
  readConfiguration,
  serialise,
  type Configuration,
} from "../config/configuration.ts";
import { trustOf } from "../config/folders.ts";
import { toBaseUrl } from "../config/setting-forms.ts";
import { profileKeys } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import { both } from "../errors/words.ts";
import { isSameUrl } from "../parse-url.ts";
import { withLock } from "../system/lock.ts";
import { checkPlainFile, replaceFile } from "../system/replace-file.ts";
import { checkPrivateFolder, preparePrivateFolder } from "../system/trusted.ts";
import type { Context } from "./context.ts";

/**
 * Writes the configuration that `change` makes of the current one. Throws a usage failure if either is invalid, or the
 * file cannot be written.
 */
export async function editConfiguration(
  context: Context,
  change: (configuration: Configuration) => Configuration,
): Promise<void> {
  const path = configurationPath(context.configurationFolder());
  const trust = trustOf(context.host);
  await preparePrivateFolder(dirname(path), "configuration directory", trust);
  await withLock(path, "the configuration", async () => {
    const before = readConfiguration(path, trust);
    const text = serialise(change(before));
    if (text === serialise(before)) return;
    parseConfiguration(path, text);
    await replaceFile(path, text);
  });
}

/** Throws the usage failures of editConfiguration that can be detected without writing. */
export async function checkEditable({ configured, host }: Context): Promise<void> {
  const { path } = configured.configuration;
  await checkPrivateFolder(dirname(path), "configuration directory", trustOf(host));
  await checkPlainFile(path);
}

/**
 * Throws a usage failure if a profile would move to another base URL with settings that are for its own: commands that
 * print secrets, which the other server would be sent, and endpoints. Stored secrets stay with their URL.
 */
export function checkKeepsServer(baseUrl: string, { configured: { profile }, serverType }: Context): void {
  const { base_url: before } = profile.values;
  const bound = [...profileKeys]
    .filter(([, { belongsTo }]) => belongsTo !== undefined && belongsTo !== "host")
    .flatMap(([key]) => (profile.values[key] === undefined ? [] : [key]));
  const [first] = bound;
  if (first === undefined || before === undefined) return;
  if (isSameUrl(toBaseUrl(before, serverType), baseUrl)) return;
  throw usageFailure(
    `the profile ${profile.name}, with its ${both(bound)}, is for ${before}, not for ${baseUrl}`,
    `Use another profile with --profile NAME, or run \`grantctl config unset ${first}\`.`,
  );
}
