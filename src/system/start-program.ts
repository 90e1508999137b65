// Finds programs on the search path and starts them without a shell. On Windows, batch files such as `npm` are started
// as well, with their arguments unchanged.
//
// The current directory is never searched, because others may be able to write to it and could then have any program
// run. Windows searches it before the search path; elsewhere, empty or relative entries of the path refer to it.
import crossSpawn from "cross-spawn";
import { ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, win32 } from "node:path";
import { PassThrough } from "node:stream";

type Environment = Readonly<Record<string, string>>;

export type ProgramOptions = SpawnOptions & { readonly env: Environment };

/** Starts a program. If that fails for any reason, the child emits `error`. `platform` is this machine's. */
export function startProgram(
  words: readonly [string, ...string[]],
  options: ProgramOptions,
  platform: NodeJS.Platform,
): ChildProcess {
  try {
    return spawnProgram(words, options, platform);
  } catch (error) {
    return neverStarted(error);
  }
}

function spawnProgram(
  [program, ...words]: readonly [string, ...string[]],
  options: ProgramOptions,
  platform: NodeJS.Platform,
): ChildProcess {
  if (platform !== "win32") return spawn(program, words, options);
  // Falls back to an absolute path, because Windows would look up the bare name in the current directory.
  const path = findWindowsProgram(program, options.env) ?? windowsSystemProgram(program, options.env);
  return /\.(?:cmd|bat)$/i.test(path)
    ? crossSpawn.spawn(path, [...words], options)
    : spawn(path, words, options);
}

/**
 * A child with empty streams that emits `error`. Node emits some start failures itself but throws others: a path
 * through a file, a name that is too long, a file that is not a program on Windows.
 */
function neverStarted(error: unknown): ChildProcess {
  const streams = [new PassThrough().resume(), new PassThrough().end(), new PassThrough().end()] as const;
  const [stdin, stdout, stderr] = streams;
  const child = Object.assign(new ChildProcess(), { stdin, stdout, stderr });
  queueMicrotask(() => child.emit("error", error));
  return child;
}

/** The default of PATHEXT: the extensions that may be omitted from a program's name. */
const usualEndings = ".COM;.EXE;.BAT;.CMD";

/**
 * Resolves a command word on Windows to an absolute path: the word itself if it is a path, otherwise the first file of
 * this name, with one of the extensions of PATHEXT, in an absolute folder of PATH; or null.
 */
export function findWindowsProgram(
  word: string,
  environment: Environment,
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

/** The absolute folders of a Windows PATH, in which quotation marks have no meaning. */
function windowsFolders(path: string): readonly string[] {
  const folders = path.split(";").map((entry) => entry.replaceAll('"', ""));
  return folders.filter((folder) => isOfOneDrive(folder));
}

/** The path of a system program of Windows, independent of PATH. */
export function windowsSystemProgram(name: string, environment: Environment): string {
  const root = variableOf(environment, "SYSTEMROOT");
  return win32.join(root !== undefined && isOfOneDrive(root) ? root : "C:\\Windows", "System32", name);
}

/** Looks a variable up case-insensitively, as Windows does. */
function variableOf(environment: Environment, name: string): string | undefined {
  return Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
}

/** False for `\folder` and `C:folder`, which depend on the current drive or directory. */
function isOfOneDrive(folder: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(folder);
}

function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The environment without empty and relative PATH entries, which refer to the current directory. */
export function withoutCurrentFolder(
  environment: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const kept = Object.entries(environment).map(([name, value]): [string, string] =>
    isPath(name) ? [name, cleanPath(value, platform)] : [name, value],
  );
  // An empty PATH also means the current directory; an absent one means the system's default.
  return Object.fromEntries(kept.filter(([name, value]) => !isPath(name) || value !== ""));
}

/** True if the first word of a command resolves to a program. */
export function isProgram(word: string, environment: Environment, platform: NodeJS.Platform): boolean {
  if (platform === "win32") return findWindowsProgram(word, environment) !== null;
  if (word.includes("/")) return isRunnableFile(word);
  const path = environment["PATH"];
  // Without PATH, the system searches default folders that are not known here.
  if (path === undefined || path === "") return true;
  return absoluteFolders(path).some((folder) => isRunnableFile(join(folder, word)));
}

function cleanPath(path: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? windowsFolders(path).join(";") : absoluteFolders(path).join(delimiter);
}

function absoluteFolders(path: string): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}

/** True if a variable is PATH, which Windows writes as `Path`. */
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
