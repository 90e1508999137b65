// What can be completed from this machine alone: profiles and their settings, and what earlier runs left. Asks no
// service and no keychain, and changes nothing: it runs whenever Tab is pressed.
import { readdir } from "node:fs/promises";
import type { Context } from "../../run/context.ts";
import { sanitise } from "../../output/sanitise.ts";

const settingsOfProfiles = ["base_url", "username", "client_id", "header_word"] as const;

/** What can be asked for: profiles by name, what `recover list` shows by id, or the values of one setting. */
export const localValues = ["profiles", "leftovers", ...settingsOfProfiles] as const;
export type LocalValues = (typeof localValues)[number];

interface LocalValue {
  readonly value: string;
  readonly description?: string | undefined;
}

/** One line for each value: the value and, behind a tab, what it is. */
export async function findLocalValues(of: LocalValues, context: Context): Promise<string> {
  const found = of === "leftovers" ? await leftoverIds(context) : settingValues(of, context);
  const lines = found
    // A value that needs more than quotes on a command line is not worth a surprise.
    .filter(({ value }) => value !== "" && sanitise(value) === value && !/\s/.test(value))
    .map(({ value, description }) =>
      description === undefined
        ? `${value}\n`
        : `${value}\t${sanitise(description).replaceAll(/\s+/g, " ")}\n`,
    );
  return [...new Set(lines)].join("");
}

function settingValues(of: Exclude<LocalValues, "leftovers">, context: Context): readonly LocalValue[] {
  const profiles = [...context.configured.configuration.profiles];
  if (of === "profiles") {
    return profiles.map(([name, values]) => ({ value: name, description: values.base_url }));
  }
  return profiles.map(([, values]) => ({ value: values[of] ?? "" }));
}

/** By the names of their files: opening them would take away those that have nothing left to tell. */
async function leftoverIds(context: Context): Promise<readonly LocalValue[]> {
  const names = await readdir(context.stateFolder()).catch(() => []);
  return names
    .flatMap((name) => (name.endsWith(".journal") ? [{ value: name.slice(0, -".journal".length) }] : []))
    .toSorted((one, other) => (one.value < other.value ? -1 : 1));
}
