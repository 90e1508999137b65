// The folders of grantctl's own files: the platform's defaults, unless the environment overrides them.
import { isAbsolute, join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Trust } from "../system/trusted.ts";

export interface FolderOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly machine: { readonly homeFolder: string };
}

interface FolderLocation {
  /** The GRANTCTL variable that overrides the platform's default. */
  readonly variable: string;
  /** On Linux, the XDG variable, and the folder below the home folder to use if it is not set. */
  readonly xdg: readonly [variable: string, ...fallback: string[]];
  readonly windows: readonly [variable: string, ...fallback: string[]];
  /** On macOS and Windows, the folder below `grantctl`: there, configuration and state may have the same parent. */
  readonly ownFolder: string;
}

const configurationLocation: FolderLocation = {
  variable: "GRANTCTL_CONFIG_DIR",
  xdg: ["XDG_CONFIG_HOME", ".config"],
  windows: ["APPDATA", "AppData", "Roaming"],
  ownFolder: "",
};

const stateLocation: FolderLocation = {
  variable: "GRANTCTL_STATE_DIR",
  xdg: ["XDG_STATE_HOME", ".local", "state"],
  windows: ["LOCALAPPDATA", "AppData", "Local"],
  ownFolder: "state",
};

/** Who this process is, for the checks of its folders and files. */
export function trustOf({
  environment,
  machine,
}: FolderOptions & { readonly machine: { readonly userId: number | null } }): Trust {
  const named = [configurationLocation, stateLocation].flatMap(({ variable }) => environment[variable] ?? []);
  return { userId: machine.userId, named: named.map((folder) => folder.replace(/(?<=.)\/+$/, "")) };
}

/** The folder of the configuration: `GRANTCTL_CONFIG_DIR`, or the platform's own (XDG on Linux). */
export function configurationFolder(folderOptions: FolderOptions): string {
  return resolveFolder(configurationLocation, folderOptions);
}

/** The folder for state that must survive a crash: `GRANTCTL_STATE_DIR`, or the platform's default (XDG on Linux). */
export function stateFolder(folderOptions: FolderOptions): string {
  return resolveFolder(stateLocation, folderOptions);
}

export function fileStorePath(folder: string): string {
  return join(folder, "credentials.json");
}

function resolveFolder(location: FolderLocation, { environment, platform, machine }: FolderOptions): string {
  const chosen = environment[location.variable];
  if (chosen !== undefined) return requireAbsolute(location.variable, chosen);
  // An empty HOME would resolve to the current folder.
  const home = (): string =>
    requireAbsolute("HOME", machine.homeFolder, "Set HOME, or GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR.");
  if (platform === "darwin")
    return join(home(), "Library", "Application Support", "grantctl", location.ownFolder);
  const [variable, ...fallback] = platform === "win32" ? location.windows : location.xdg;
  const base = environment[variable];
  const parent = base !== undefined && isAbsolute(base) ? base : join(home(), ...fallback);
  return join(parent, "grantctl", platform === "win32" ? location.ownFolder : "");
}

/** Rejects relative paths, so that grantctl never uses files in the current folder. */
function requireAbsolute(variable: string, path: string, hint?: string): string {
  if (!isAbsolute(path)) throw usageFailure(`${variable} must be an absolute path`, hint);
  return path;
}
