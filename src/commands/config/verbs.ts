// `grantctl config get`, `set`, `unset` and `list`: the settings of profiles, as they are in the configuration file. They
// send nothing and announce nothing, and work before any login.
import { resolve } from "node:path";
import type { Command } from "commander";
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { addNote } from "../../command-line/help.ts";
import { withProfileValues } from "../../config/configuration.ts";
import { existingProfiles } from "../../config/run-configuration.ts";
import { isProfileName, toBaseUrl } from "../../config/setting-forms.ts";
import {
  isProfileKey,
  problemOf,
  profileKeyNames,
  profileKeys,
  type ProfileKey,
} from "../../config/settings.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";
import { editConfigurationOf, warnOfMovedProfile } from "../../run/save-configuration.ts";

/** The setting of the file itself, which names the profile of runs without --profile. */
export const defaultProfileKey = "default_profile";

type SettingKey = ProfileKey | typeof defaultProfileKey;

export const defineGet: Define = (command, act) => {
  describe(
    command.argument("<key>", "Name of the setting"),
    "Show a profile's setting as stored in the configuration file, ignoring flags and environment variables.",
  ).action(act(get, { isPaged: true, announces: false }));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config get base_url", "grantctl --profile work config get username"]);
};

export const defineSet: Define = (command, act) => {
  describe(
    command
      .argument("<key>", "Name of the setting")
      .argument("<value>", "Value; if it is a command with arguments, quote the whole command"),
    "Change a profile's setting. Creates the profile if it does not exist.",
  ).action(act(set, { configuration: "new-profile", announces: false }));
  addExamples(command, [
    "grantctl config set base_url https://ghe.example.com/api/v3",
    "grantctl --profile work config set password_command 'pass show work/grantctl'",
  ]);
};

export const defineUnset: Define = (command, act) => {
  describe(
    command.argument("<key>", "Name of the setting"),
    "Remove a setting from a profile. Succeeds even if it is not set.",
  ).action((key: string, ...given) =>
    // A `default_profile` that does not exist must not prevent its own removal.
    act(unset, { configuration: key === defaultProfileKey ? "new-profile" : "needed", announces: false })(
      key,
      ...given,
    ),
  );
  addExamples(command, ["grantctl config unset otp_command", "grantctl --profile work config unset ca_cert"]);
};

export const defineList: Define = (command, act) => {
  command
    .description(
      "List the settings in the configuration, for all profiles or only for the one given with --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
    )
    .action(act(list, { isPaged: true, printsList: true, announces: false }));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config list", "grantctl config list --profile work --json"]);
};

function describe(command: Command, description: string): Command {
  const keys = Object.fromEntries([...profileKeys].map(([key, { meaning }]) => [key, meaning]));
  const all = { ...keys, [defaultProfileKey]: "Profile to use if none is specified" };
  return addNote(command.description(description), "Settings", all);
}

/** One setting, and the profile that it is from; `file` for the file's own. */
interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

const settingPresentation: Presentation<SettingRow> = {
  fields: ["name", "value", "source"] satisfies readonly FieldOf<SettingRow>[],
  columns: [column("NAME", "name"), column("VALUE", "value"), column("SOURCE", "source")],
};

function settingRow(profile: string | null, name: string, value: string): SettingRow {
  return { name, value, source: profile === null ? "file" : `profile ${profile}` };
}

async function get(context: Context, word: string): Promise<void> {
  const key = checkKey(word);
  const { printer, stdout } = context;
  printer.checkFields(settingPresentation);
  const { configuration, profile } = context.configured;
  const isOfFile = key === defaultProfileKey;
  const value = isOfFile ? configuration.defaultProfile : (profile.values[key] ?? null);
  if (value === null) {
    const place = isOfFile ? "" : ` in the profile ${profile.name}`;
    const hint = `Run \`grantctl config set ${key} VALUE\` to set it.`;
    throw new Failure("not-found", `${key} is not set${place}`, { hint });
  }
  if (printer.isJson)
    await printer.printItem(settingRow(isOfFile ? null : profile.name, key, value), settingPresentation);
  else await stdout.write(`${stdout.isTerminal ? sanitise(value) : value}\n`);
}

async function set(context: Context, word: string, value: string): Promise<void> {
  const key = checkKey(word);
  if (key === defaultProfileKey) {
    await setDefaultProfile(value, context);
    return;
  }
  if (value === "")
    throw usageFailure(`${key} cannot be empty`, `Run \`grantctl config unset ${key}\` to remove it.`);
  const { name, values } = context.configured.profile;
  const written = profileKeys.get(key)?.form === "path" ? resolve(value) : value;
  const problem = problemOf(key, written);
  if (problem !== null) throw usageFailure(`${key} ${problem}`);
  const stored = key === "base_url" ? toBaseUrl(written, context.serverType) : written;
  if (key === "base_url") {
    // Rejects the URLs that every run would reject; allow_http permits plain http.
    context.serverAt(stored).origin();
    warnOfMovedProfile(stored, values, context);
  }
  await editConfigurationOf(context, (configuration) =>
    withProfileValues(configuration, name, { [key]: stored }),
  );
}

async function setDefaultProfile(name: string, context: Context): Promise<void> {
  if (!isProfileName(name)) throw usageFailure(`${defaultProfileKey} must be the name of a profile`);
  await editConfigurationOf(context, (configuration) => {
    if (!configuration.profiles.has(name))
      throw usageFailure(`there is no profile named ${name}${existingProfiles(configuration)}`);
    return { ...configuration, defaultProfile: name };
  });
}

async function unset(context: Context, word: string): Promise<void> {
  const key = checkKey(word);
  const { name } = context.configured.profile;
  await editConfigurationOf(context, (configuration) => {
    if (key === defaultProfileKey) return { ...configuration, defaultProfile: null };
    return configuration.profiles.has(name)
      ? withProfileValues(configuration, name, { [key]: undefined })
      : configuration;
  });
}

async function list(context: Context): Promise<void> {
  const { configuration, profile } = context.configured;
  context.printer.checkFields(settingPresentation);
  const isNamed = profile.source === "flag" || profile.source === "environment";
  const { defaultProfile: named } = configuration;
  const ofFile = named === null || isNamed ? [] : [settingRow(null, defaultProfileKey, named)];
  const ofProfiles = [...configuration.profiles]
    .filter(([name]) => !isNamed || name === profile.name)
    .flatMap(([name, values]) =>
      profileKeyNames
        .filter((key) => values[key] !== undefined)
        .map((key) => settingRow(name, key, values[key] ?? "")),
    );
  await context.printer.printList([...ofFile, ...ofProfiles], settingPresentation);
}

/** Checks a typed key. Throws a usage failure that lists the valid ones. */
function checkKey(word: string): SettingKey {
  if (word === defaultProfileKey || isProfileKey(word)) return word;
  if (/password|secret|token/.test(word))
    throw usageFailure(
      "the configuration cannot contain secrets",
      "Run `grantctl auth login` to store it, or set password_command or client_secret_command to a command that prints it.",
    );
  const meant = word.toLowerCase().replaceAll("-", "_");
  throw usageFailure(
    `${word} is not a setting`,
    isProfileKey(meant)
      ? `You may have meant ${meant}.`
      : `The settings are ${[...profileKeyNames, defaultProfileKey].join(", ")}.`,
  );
}
