// The folders of grantctl's own files: the platform's defaults, unless the environment overrides them. Relative paths are
// rejected, so that grantctl never uses files in the current folder.
import { readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../system/host.ts";
import type { Trust } from "../system/trusted.ts";

/** What decides where the folders are, and who may change them. */
export type OwnMachine = Pick<Host, "environment" | "platform"> & {
  readonly machine: Pick<Host["machine"], "homeFolder" | "userId">;
};

/** The platform's variable, the folder below the home folder without it, and the name in either. */
const configurationPlaces = {
  darwin: ["", "Library/Application Support", "grantctl"],
  win32: ["APPDATA", "AppData/Roaming", "grantctl"],
  other: ["XDG_CONFIG_HOME", ".config", "grantctl"],
} as const;

/** On macOS and Windows, configuration and state may have the same parent. */
const statePlaces = {
  darwin: ["", "Library/Application Support", "grantctl/state"],
  win32: ["LOCALAPPDATA", "AppData/Local", "grantctl/state"],
  other: ["XDG_STATE_HOME", ".local/state", "grantctl"],
} as const;

/** Who this process is, for the checks of its folders and files. */
export function trustOf({ environment, machine }: OwnMachine): Trust {
  const named = ["GRANTCTL_CONFIG_DIR", "GRANTCTL_STATE_DIR"].flatMap((name) => environment[name] ?? []);
  return { userId: machine.userId, named: named.map((folder) => folder.replace(/(?<=.)\/+$/, "")) };
}

export function configurationFolder(machine: OwnMachine): string {
  return resolveFolder("GRANTCTL_CONFIG_DIR", configurationPlaces, machine);
}

/** The folder for state that must survive a crash. */
export function stateFolder(machine: OwnMachine): string {
  return resolveFolder("GRANTCTL_STATE_DIR", statePlaces, machine);
}

export const recordFile = (id: string): string => `${id}.journal`;

/** The IDs of the records in the state folder, oldest first. Throws the system's error, also if there is no folder yet. */
export function recordIds(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((name) => /^([\w-]+)\.journal$/.exec(name)?.[1] ?? [])
    .toSorted();
}

function resolveFolder(
  variable: string,
  places: typeof configurationPlaces | typeof statePlaces,
  { environment, platform, machine }: OwnMachine,
): string {
  const chosen = environment[variable];
  if (chosen !== undefined) return requireAbsolute(variable, chosen);
  const [base, inHome, name] = places[platform === "darwin" || platform === "win32" ? platform : "other"];
  const parent = environment[base] ?? "";
  return join(isAbsolute(parent) ? parent : join(requireAbsolute("HOME", machine.homeFolder), inHome), name);
}

function requireAbsolute(variable: string, path: string): string {
  if (isAbsolute(path)) return path;
  throw usageFailure(
    `${variable} must be an absolute path`,
    "Set GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR to directories of yours.",
  );
}
