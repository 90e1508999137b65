// The profile of a run: the one that is named by flag or environment, the file's default profile, or `default`.
import { join } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { joinAnd, mayBeToken, typedWord } from "../errors/words.ts";
import { defaultServerType, findServerType } from "../server-types.ts";
import { parseConfiguration, readConfiguration, type Configuration } from "./configuration.ts";
import { configurationFolder, trustOf, type OwnMachine } from "./folders.ts";
import { isProfileName } from "./setting-forms.ts";
import { isSameServer, ownBaseUrl, profileKeys, settingTable } from "./settings.ts";
import type { ProfileValues, SettingSource } from "./settings.ts";

export type RunConfiguration = ReturnType<typeof readRunConfiguration>;

/**
 * A command's use of the configuration. needed: a named profile must exist. new-profile: it may be new. tolerated: the
 * command does without one that is invalid.
 */
export type ConfigurationUse = "needed" | "new-profile" | "tolerated";

/** The default profile, unless the file names another one. */
export const usualProfile = "default";

/** Reads the configuration and chooses the profile. Throws a usage failure for a mistake, unless tolerated. */
export function readRunConfiguration(flag: string | undefined, machine: OwnMachine, use: ConfigurationUse) {
  try {
    const path = join(configurationFolder(machine), "config.json");
    const configuration = readConfiguration(path, trustOf(machine));
    const chosen = chooseProfile(configuration, flag, machine.environment["GRANTCTL_PROFILE"]);
    const { name, source, exists } = chosen.profile;
    // The one called default need not exist.
    const isRequired = source === "profile" || (source !== "default" && name !== usualProfile);
    if (use !== "new-profile" && isRequired && !exists) throw noProfile(name, configuration);
    return { ...chosen, failure: null };
  } catch (error) {
    if (use !== "tolerated" || !(error instanceof Failure)) throw error;
    // The reason is for commands that continue without it.
    return { ...chooseProfile(parseConfiguration("", "")), failure: error };
  }
}

/** Throws a usage failure for an invalid profile name. */
function chooseProfile(configuration: Configuration, flag?: string, variable?: string) {
  const { profiles, defaultProfile } = configuration;
  const places: readonly (readonly [SettingSource, name: string | null | undefined])[] = [
    ["flag", flag],
    ["environment", variable],
    ["profile", defaultProfile],
  ];
  const [source, name] = places.find(([, named]) => named) ?? ["default", usualProfile];
  if (typeof name !== "string" || !isProfileName(name))
    throw usageFailure("a profile's name may contain only letters, digits, dots, hyphens and underscores");
  const values: ProfileValues = profiles.get(name) ?? {};
  return { configuration, profile: { name, source, exists: profiles.has(name), values } };
}

export function noProfile(name: string, { profiles }: Configuration): Failure {
  const existing = profiles.size === 0 ? "" : `; existing profiles: ${[...profiles.keys()].join(", ")}`;
  return usageFailure(
    `there is no profile named ${typedWord(name)}${existing}`,
    `Run \`grantctl --profile ${mayBeToken(name) ? "NAME" : name} auth login\` to create it.`,
  );
}

/**
 * Throws a usage failure if these values would move a profile to another server, or to any, and it has settings for its own:
 * commands that print secrets, headers, client certificates and endpoints. Stored secrets stay with their URL.
 */
export function checkKeepsServer(
  change: Readonly<Record<string, string | undefined>>,
  { configured: { profile } }: { readonly configured: Pick<RunConfiguration, "profile"> },
): void {
  const { values } = profile;
  const after = { ...values, ...change } as ProfileValues;
  const serverType = findServerType(after["server_type"] ?? "") ?? defaultServerType;
  const [own, next] = [ownBaseUrl(values, serverType), ownBaseUrl(after, serverType)];
  if (own === null) return;
  const bound = [...profileKeys].flatMap(([key, definition]) => {
    // allow_http gives nothing away.
    const isBound = definition.belongsTo !== undefined && key !== settingTable.allowHttp.key;
    const stays = next !== null && isSameServer(definition, own, next);
    return isBound && !stays && values[key] !== undefined ? [key] : [];
  });
  const [first] = bound;
  if (first === undefined) return;
  throw usageFailure(
    `the profile ${profile.name}, with its ${joinAnd(bound)}, is for ${own}${next === null ? "" : `, not for ${next}`}`,
    `Use another profile with --profile NAME, or run \`grantctl config unset ${first}\`.`,
  );
}
