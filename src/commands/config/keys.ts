// Shared by the commands on settings: the names that they take, and the row of a setting. They send nothing and announce
// nothing, and work before any login.
import type { Command } from "commander";
import { addNote } from "../../command-line/command.ts";
import { settingsHint } from "../../config/configuration.ts";
import { profileKeys } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import { typedWord } from "../../errors/words.ts";
import { column, type Presentation } from "../../output/presentation.ts";

export function addKey(command: Command): Command {
  const meanings = Object.fromEntries([...profileKeys].map(([key, { meaning }]) => [key, meaning]));
  return addNote(command.argument("<key>", "Name of the setting"), "Settings", meanings);
}

/** The setting with this key. Throws a usage failure that lists the valid ones. */
export function definitionOf(key: string) {
  const definition = profileKeys.get(key);
  if (definition === undefined) throw usageFailure(`unknown setting ${typedWord(key)}`, settingsHint);
  return definition;
}

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
