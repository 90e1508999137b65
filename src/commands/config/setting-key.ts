// The keys that the config commands take: those of a profile, and the one of the whole file.
import type { Command } from "commander";
import { isProfileKey, profileKeyNames, profileKeys, type ProfileKey } from "../../config/profile-keys.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";

/** The setting with the profile of runs without --profile. */
export const defaultProfileKey = "default_profile";

export type SettingKey = ProfileKey | typeof defaultProfileKey;

/** Checks a key as it was typed. Throws a usage failure that lists the right ones. */
export function checkKey(word: string): SettingKey {
  if (word === defaultProfileKey || isProfileKey(word)) return word;
  if (/password|secret|token/.test(word)) {
    throw usageFailure(
      "no secret belongs in the configuration",
      "grantctl auth login stores it; password_command and client_secret_command name a command that prints it",
    );
  }
  throw usageFailure(
    `${foreign(word)} is not a setting`,
    `the settings are ${[...profileKeyNames, defaultProfileKey].join(", ")}`,
  );
}

/** Adds the list of all settings to the help of a command. */
export function explainKeys(command: Command): Command {
  const keys = profileKeyNames.map((key) => [key, profileKeys[key].means] as const);
  const all = terms([...keys, [defaultProfileKey, "the profile of runs that name none"]]);
  return addHelpSection(command, section("Settings", all));
}
