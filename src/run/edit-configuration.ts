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
import { profileKeys, settingTable } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import { both } from "../errors/words.ts";
import { isSameUrl, parseUrl } from "../parse-url.ts";
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
  await preparePrivateFolder(dirname(path), trust);
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
  await checkPrivateFolder(dirname(path), trustOf(host));
  await checkPlainFile(path);
}

/**
 * Throws a usage failure if a profile would move to another base URL, or with null would have none, with settings that
 * are for its own: commands that print secrets, headers, client certificates and endpoints. Stored secrets stay with
 * their URL.
 */
export function checkKeepsServer(
  baseUrl: string | null,
  { configured: { profile }, serverType }: Context,
): void {
  const { base_url: before } = profile.values;
  if (before === undefined) return;
  const own = toBaseUrl(before, serverType);
  if (baseUrl !== null && isSameUrl(own, baseUrl)) return;
  const isSameHost = baseUrl !== null && parseUrl(own)?.origin === parseUrl(baseUrl)?.origin;
  const bound = [...profileKeys]
    // allow_http gives nothing away.
    .filter(([key, { belongsTo }]) => belongsTo !== undefined && key !== settingTable.allowHttp.key)
    .filter(([, { belongsTo }]) => belongsTo !== "host" || !isSameHost)
    .flatMap(([key]) => (profile.values[key] === undefined ? [] : [key]));
  const [first] = bound;
  if (first === undefined) return;
  throw usageFailure(
    `the profile ${profile.name}, with its ${both(bound)}, is for ${before}${baseUrl === null ? "" : `, not for ${baseUrl}`}`,
    `Use another profile with --profile NAME, or run \`grantctl config unset ${first}\`.`,
  );
}
