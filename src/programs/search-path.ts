// The search path that other programs get, and whether a program is found on it. It never leads to the current folder.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { findWindowsProgram, windowsFolders } from "./find-program.ts";

type Environment = Readonly<Record<string, string>>;

/** The environment without empty and relative folders on its search path, which stand for the current folder. */
export function withoutCurrentFolder(
  environment: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const kept = Object.entries(environment).map(([name, value]): [string, string] =>
    isPath(name) ? [name, cleanPath(value, platform)] : [name, value],
  );
  // An empty path means the current folder too; none at all means the system's own.
  return Object.fromEntries(kept.filter(([name, value]) => !isPath(name) || value !== ""));
}

/** Whether there is a program behind the first word of a command, in the folders where it is going to be looked for. */
export function isProgram(
  word: string,
  environment: Environment,
  platform: NodeJS.Platform,
  isRunnable: (path: string) => boolean = isRunnableFile,
): boolean {
  if (platform === "win32") return findWindowsProgram(word, environment) !== null;
  if (word.includes("/")) return isRunnable(word);
  const path = environment["PATH"];
  // Without a search path the system searches folders of its own, which are not known here.
  if (path === undefined || path === "") return true;
  return absoluteFolders(path).some((folder) => isRunnable(join(folder, word)));
}

function cleanPath(path: string, platform: NodeJS.Platform): string {
  if (platform !== "win32") return absoluteFolders(path).join(delimiter);
  const quoted = windowsFolders(path).map((folder) => (folder.includes(";") ? `"${folder}"` : folder));
  return quoted.join(";");
}

function absoluteFolders(path: string): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}

/** Whether a variable is PATH, which Windows writes as `Path`. */
function isPath(name: string): boolean {
  return name.toUpperCase() === "PATH";
}

function isRunnableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
