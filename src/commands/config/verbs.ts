// `grantctl config get`, `set`, `unset` and `list`: the settings of profiles, as they are in the configuration file. They
// send nothing and announce nothing, and work before any login.
import { resolve } from "node:path";
import type { Command } from "commander";
import { addExamples, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { addNote } from "../../command-line/help.ts";
import { settingsHint, withProfileValues } from "../../config/configuration.ts";
import { checks } from "../../config/setting-forms.ts";
import { listedValue, normalise, problemOf, profileKeys, type ProfileValues } from "../../config/settings.ts";
import { sanitise } from "../../output/sanitise.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { column, type Presentation } from "../../output/presentation.ts";
import { checkKeepsServer, editConfiguration } from "../../run/edit-configuration.ts";

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
    "grantctl config set base_url https://ghe.example.com/api/v3 --profile ghe",
    "grantctl --profile work config set password_command 'pass show work/grantctl'",
  ]);
};

export const defineUnset: Define = (command, act) => {
  describe(
    command.argument("<key>", "Name of the setting"),
    "Remove a setting from a profile. Succeeds even if it is not set.",
  ).action(act(unset, { announces: false }));
  addExamples(command, ["grantctl config unset otp_command", "grantctl --profile work config unset ca_cert"]);
};

export const defineList: Define = (command, act) => {
  command
    .description(
      "List the settings in the configuration, for all profiles or only for the one given with --profile. Run `grantctl auth status` to see the values in use, including flags and environment variables.",
    )
    .action(act(list, { isPaged: true, announces: false }));
  printsFields(command, settingPresentation.fields);
  addExamples(command, ["grantctl config list", "grantctl config list --profile work --json"]);
};

function describe(command: Command, description: string): Command {
  const meanings = Object.fromEntries([...profileKeys].map(([key, { meaning }]) => [key, meaning]));
  return addNote(command.description(description), "Settings", meanings);
}

/** One setting, and where it is from. */
export interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

export const settingPresentation: Presentation<SettingRow> = {
  fields: "name value source".split(" "),
  columns: [
    column("NAME", "name", { isWhole: true }),
    column("VALUE", "value", { isWhole: true }),
    column("SOURCE", "source"),
  ],
};

function settingRows(profile: string, values: ProfileValues) {
  return [...profileKeys.keys()].flatMap((name) => {
    const value = values[name];
    return value === undefined
      ? []
      : [{ name, value: listedValue(name, value), source: `profile ${profile}` }];
  });
}

async function get({ printer, stdout, configured }: Context, key: string): Promise<void> {
  definitionOf(key);
  const { name, values } = configured.profile;
  const value = values[key];
  if (value === undefined)
    throw new Failure("not-found", `${key} is not set in the profile ${name}`, {
      hint: `Run \`grantctl config set ${key} VALUE\` to set it.`,
    });
  if (printer.isJson)
    await printer.printItem({ name: key, value, source: `profile ${name}` }, settingPresentation);
  else await stdout.write(`${stdout.isTerminal ? sanitise(value) : value}\n`);
}

async function set(context: Context, key: string, value: string): Promise<void> {
  const definition = definitionOf(key);
  const { name } = context.configured.profile;
  const written = definition.check === checks.path ? resolve(value) : value;
  const problem = problemOf(definition, written);
  if (problem !== null) throw usageFailure(`${key} ${problem}`);
  const stored = normalise(definition, written, context.serverType);
  // Rejects the URLs that every run would reject; allow_http permits plain http.
  if (key === "base_url") context.serverAt(stored).origin();
  checkKeepsServer({ [key]: stored }, context);
  await editConfiguration(context, (before) => withProfileValues(before, name, { [key]: stored }));
}

async function unset(context: Context, key: string): Promise<void> {
  definitionOf(key);
  const { name } = context.configured.profile;
  checkKeepsServer({ [key]: undefined }, context);
  await editConfiguration(context, (before) =>
    before.profiles.has(name) ? withProfileValues(before, name, { [key]: undefined }) : before,
  );
}

async function list({ configured, printer }: Context): Promise<void> {
  const { configuration, profile } = configured;
  const isNamed = profile.source === "flag" || profile.source === "environment";
  const shown = [...configuration.profiles].filter(([name]) => !isNamed || name === profile.name);
  await printer.printList(
    shown.flatMap(([name, values]) => settingRows(name, values)),
    settingPresentation,
  );
}

/** The setting with this key. Throws a usage failure that lists the valid ones. */
function definitionOf(key: string) {
  const definition = profileKeys.get(key);
  if (definition === undefined) throw usageFailure(`${key} is not a setting`, settingsHint);
  return definition;
}
