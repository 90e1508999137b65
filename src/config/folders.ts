// The folders of grantctl's own files: the platform's defaults, unless the environment overrides them. Relative paths are
// rejected, so that grantctl never uses files in the current folder.
import { isAbsolute, join } from "node:path";
import { usageFailure } from "../errors/errors.ts";
import type { Trust } from "../system/trusted.ts";

/** What decides where the folders are, and who may change them. */
export interface OwnMachine {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly machine: { readonly homeFolder: string; readonly userId: number | null };
}

/** For each purpose: its own variable, and the platform's variable with the folder below the home folder without it. */
const locations = {
  configuration: {
    variable: "GRANTCTL_CONFIG_DIR",
    xdg: ["XDG_CONFIG_HOME", ".config"],
    windows: ["APPDATA", "AppData/Roaming"],
    /** On macOS and Windows, configuration and state may have the same parent. */
    below: "",
  },
  state: {
    variable: "GRANTCTL_STATE_DIR",
    xdg: ["XDG_STATE_HOME", ".local/state"],
    windows: ["LOCALAPPDATA", "AppData/Local"],
    below: "state",
  },
} as const;

/** Who this process is, for the checks of its folders and files. */
export function trustOf({ environment, machine }: OwnMachine): Trust {
  const named = Object.values(locations).flatMap(({ variable }) => environment[variable] ?? []);
  return { userId: machine.userId, named: named.map((folder) => folder.replace(/(?<=.)\/+$/, "")) };
}

export function configurationFolder(options: OwnMachine): string {
  return resolveFolder("configuration", options);
}

/** The folder for state that must survive a crash. */
export function stateFolder(options: OwnMachine): string {
  return resolveFolder("state", options);
}

function resolveFolder(
  purpose: keyof typeof locations,
  { environment, platform, machine }: OwnMachine,
): string {
  const { variable, xdg, windows, below } = locations[purpose];
  const chosen = environment[variable];
  if (chosen !== undefined) return requireAbsolute(variable, chosen);
  const inHome = (folder: string): string => join(requireAbsolute("HOME", machine.homeFolder), folder);
  if (platform === "darwin") return join(inHome("Library/Application Support/grantctl"), below);
  const [base, fallback] = platform === "win32" ? windows : xdg;
  const parent = environment[base] ?? "";
  const folder = join(isAbsolute(parent) ? parent : inHome(fallback), "grantctl");
  return platform === "win32" ? join(folder, below) : folder;
}

function requireAbsolute(variable: string, path: string): string {
  if (isAbsolute(path)) return path;
  throw usageFailure(
    `${variable} must be an absolute path`,
    "Set GRANTCTL_CONFIG_DIR and GRANTCTL_STATE_DIR to directories of yours.",
  );
}
