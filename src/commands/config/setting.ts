// The keys of settings and their presentation, for the config commands.
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";
import { type ProfileKey, isProfileKey, profileKeyNames, profileKeys } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";
import type { Command } from "commander";

/** The setting that names the profile of runs without --profile. */
export const defaultProfileKey = "default_profile";

type SettingKey = ProfileKey | typeof defaultProfileKey;

/** Checks a typed key. Throws a usage failure that lists the valid ones. */
export function checkKey(word: string): SettingKey {
  if (word === defaultProfileKey || isProfileKey(word)) return word;
  if (/password|secret|token/.test(word)) {
    throw usageFailure(
      "the configuration cannot contain secrets",
      "Run `grantctl auth login` to store it, or set password_command or client_secret_command to a command that prints it.",
    );
  }
  const meant = word.toLowerCase().replaceAll("-", "_");
  throw usageFailure(
    `${foreign(word)} is not a setting`,
    isProfileKey(meant)
      ? `You may have meant ${meant}.`
      : `The settings are ${[...profileKeyNames, defaultProfileKey].join(", ")}.`,
  );
}

export function explainKeys(command: Command): Command {
  const keys = Object.fromEntries([...profileKeys].map(([key, { meaning }]) => [key, meaning]));
  const all = terms({ ...keys, [defaultProfileKey]: "Profile to use if none is specified" });
  return addHelpSection(command, section("Settings", all));
}

/** One setting, and the profile that it is from; `file` for the file's own. */
interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

export function settingRow(profile: string | null, name: string, value: string): SettingRow {
  return { name, value, source: profile === null ? "file" : `profile ${profile}` };
}

export const settingPresentation: Presentation<SettingRow> = {
  fields: ["name", "value", "source"] satisfies readonly FieldOf<SettingRow>[],
  columns: [column("NAME", "name", { minimum: 8 }), column("VALUE", "value"), column("SOURCE", "source")],
};
