// The only way for commands to change the configuration file: under a lock, rewritten whole, and the result is checked first.
import { dirname } from "node:path";
import {
  parseConfiguration,
  readConfiguration,
  serialise,
  type Configuration,
} from "../config/configuration.ts";
import { trustOf } from "../config/folders.ts";
import { ownBaseUrl, profileKeys, settingTable, type ProfileValues } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import { both } from "../errors/words.ts";
import { isSameUrl, parseUrl } from "../http/origin.ts";
import { defaultServerType, findServerType } from "../server-types.ts";
import { withLock } from "../system/lock.ts";
import { checkNoLink, replaceFile } from "../system/writes.ts";
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
  const { path } = context.configured.configuration;
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
  await checkNoLink(path);
}

/**
 * Throws a usage failure if these values would move a profile to another server, or to any, with settings that are for its
 * own: commands that print secrets, headers, client certificates and endpoints. Stored secrets stay with their URL.
 */
export function checkKeepsServer(
  change: Readonly<Record<string, string | undefined>>,
  { configured: { profile } }: Context,
): void {
  const { values } = profile;
  const after = { ...values, ...change } as ProfileValues;
  const serverType = findServerType(after["server_type"] ?? "") ?? defaultServerType;
  const [own, next] = [ownBaseUrl(values, serverType), ownBaseUrl(after, serverType)];
  if (own === null || (next !== null && isSameUrl(own, next))) return;
  const isSameHost = next !== null && parseUrl(own)?.origin === parseUrl(next)?.origin;
  const bound = [...profileKeys]
    // allow_http gives nothing away.
    .filter(([key, { belongsTo }]) => belongsTo !== undefined && key !== settingTable.allowHttp.key)
    .filter(([, { belongsTo }]) => belongsTo !== "host" || !isSameHost)
    .flatMap(([key]) => (values[key] === undefined ? [] : [key]));
  const [first] = bound;
  if (first === undefined) return;
  throw usageFailure(
    `the profile ${profile.name}, with its ${both(bound)}, is for ${own}${next === null ? "" : `, not for ${next}`}`,
    `Use another profile with --profile NAME, or run \`grantctl config unset ${first}\`.`,
  );
}
