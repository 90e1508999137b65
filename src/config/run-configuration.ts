// Reads the configuration for a run and chooses its profile: the one named by flag or environment, the file's default
// profile, or `default`.
import { Failure, usageFailure } from "../errors/errors.ts";
import {
  configurationPath,
  emptyConfiguration,
  type Configuration,
  readConfiguration,
} from "./configuration.ts";
import { configurationFolder, trustOf, type FolderOptions } from "./folders.ts";
import type { GlobalOptions } from "./global-options.ts";
import { isProfileName } from "./setting-forms.ts";
import type { ProfileValues, Source } from "./settings.ts";

interface RunProfile {
  readonly name: string;
  readonly source: Source;
  readonly exists: boolean;
  readonly values: ProfileValues;
}

export interface RunConfiguration {
  readonly configuration: Configuration;
  readonly profile: RunProfile;
  /** The reason why the configuration could not be read, for commands that continue without it. */
  readonly failure: Failure | null;
}

/**
 * A command's use of the configuration. needed: a named profile must exist. new-profile: it may be new. tolerated: the
 * command reports an invalid configuration itself. unused: the file is not read.
 */
export type ConfigurationUse = "needed" | "new-profile" | "tolerated" | "unused";

/** The default profile, unless the file names another one. */
export const usualProfile = "default";

/** Reads the configuration and chooses the profile. Throws a usage failure for a mistake, unless tolerated. */
export async function readRunConfiguration(
  options: Pick<GlobalOptions, "profile">,
  folderOptions: FolderOptions & { readonly machine: { readonly userId: number | null } },
  use: ConfigurationUse,
): Promise<RunConfiguration> {
  if (use === "unused") return nothingConfigured("", null);
  const path = configurationPath(configurationFolder(folderOptions));
  try {
    const configuration = readConfiguration(path, trustOf(folderOptions));
    const profile = chooseProfile(configuration, options, folderOptions.environment);
    if (use !== "new-profile") checkProfileExists(profile, configuration);
    return { configuration, profile, failure: null };
  } catch (error) {
    if (use === "tolerated" && error instanceof Failure) return nothingConfigured(path, error);
    throw error;
  }
}

function nothingConfigured(path: string, failure: Failure | null): RunConfiguration {
  const configuration = emptyConfiguration(path);
  return { configuration, profile: chooseProfile(configuration, {}, {}), failure };
}

/** Throws a usage failure for an invalid profile name. */
function chooseProfile(
  { profiles, defaultProfile }: Configuration,
  options: Pick<GlobalOptions, "profile">,
  environment: Readonly<Record<string, string>>,
): RunProfile {
  const [source, name] =
    options.profile !== undefined && options.profile !== ""
      ? (["flag", options.profile] as const)
      : environment["GRANTCTL_PROFILE"] !== undefined
        ? (["environment", environment["GRANTCTL_PROFILE"]] as const)
        : defaultProfile !== null
          ? (["profile", defaultProfile] as const)
          : (["default", usualProfile] as const);
  if (!isProfileName(name)) {
    throw usageFailure("a profile's name may contain only letters, digits, dots, hyphens and underscores");
  }
  const values = profiles.get(name);
  return { name, source, exists: values !== undefined, values: values ?? {} };
}

/** Throws a usage failure if the named profile does not exist; the default one need not exist. */
function checkProfileExists({ name, source, exists }: RunProfile, configuration: Configuration): void {
  if (exists || source === "default" || (source !== "profile" && name === usualProfile)) return;
  throw usageFailure(
    `there is no profile named ${name}${existingProfiles(configuration)}`,
    source === "profile"
      ? "Run `grantctl auth switch NAME` to choose another default profile."
      : `Run \`grantctl --profile ${name} auth login\`.`,
  );
}

/** The profiles that exist, as the end of a message; empty if there are none. */
export function existingProfiles({ profiles }: Pick<Configuration, "profiles">): string {
  return profiles.size === 0 ? "" : `; existing profiles: ${[...profiles.keys()].join(", ")}`;
}
