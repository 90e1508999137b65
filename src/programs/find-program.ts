// Finds a program on Windows. Windows itself searches the current folder before the search path, so a folder that
// others can write to could run any program; grantctl never searches there.
import { statSync } from "node:fs";
import { win32 } from "node:path";

/** The endings of programs that Windows runs by a name without its ending, where PATHEXT is not set. */
const usualEndings = ".COM;.EXE;.BAT;.CMD";

/**
 * The absolute path of the file that a word of a command line means on Windows: the word itself when it is a path, else
 * the first file of this name, with one of the endings of PATHEXT, in an absolute folder of PATH. Null where there is
 * none.
 */
export function findWindowsProgram(
  word: string,
  environment: Readonly<Record<string, string>>,
  isFile: (path: string) => boolean = isPlainFile,
): string | null {
  const endings = (variableOf(environment, "PATHEXT") ?? usualEndings)
    .split(";")
    .filter((text) => text !== "");
  const hasEnding = endings.some((ending) => word.toLowerCase().endsWith(ending.toLowerCase()));
  const names = [...(hasEnding ? [word] : []), ...endings.map((ending) => `${word}${ending}`)];
  if (/[\\/:]/.test(word)) return names.map((name) => win32.resolve(name)).find(isFile) ?? null;
  const folders = windowsFolders(variableOf(environment, "PATH") ?? "");
  return folders.flatMap((folder) => names.map((name) => win32.join(folder, name))).find(isFile) ?? null;
}

/** The absolute folders of a search path of Windows. One in quotation marks may have a semicolon in its name. */
export function windowsFolders(path: string): readonly string[] {
  const entries = path.match(/(?:"[^"]*(?:"|$)|[^;"])+/g) ?? [];
  return entries.map((entry) => entry.replaceAll('"', "")).filter((folder) => isOfOneDrive(folder));
}

/** The file of a program that belongs to Windows itself, whatever the search path says. */
export function windowsSystemProgram(name: string, environment: Readonly<Record<string, string>>): string {
  const root = variableOf(environment, "SYSTEMROOT");
  return win32.join(root !== undefined && isOfOneDrive(root) ? root : "C:\\Windows", "System32", name);
}

/** The value of a variable, whose name Windows compares without regard to case. */
function variableOf(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** `\\folder` and `C:folder` mean another folder whenever the current one changes. */
function isOfOneDrive(folder: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(folder);
}

function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
