// Finds programs on the search path and starts them by their words, without a shell. On Windows a script of cmd.exe, such
// as `npm`, is started as well, with its words as they were typed.
//
// The current directory is never searched: Windows does so before the search path, and elsewhere an empty or relative
// entry of the path means it, so a directory that others can write to could run any program.
import crossSpawn from "cross-spawn";
import { ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, win32 } from "node:path";
import { PassThrough } from "node:stream";

export type ProgramOptions = SpawnOptions & { readonly env: Readonly<Record<string, string>> };

/** Starts it; what cannot be started, for whatever reason, emits `error`. `platform` is this machine's. */
export function startProgram(
  words: readonly [string, ...string[]],
  options: ProgramOptions,
  platform: NodeJS.Platform,
): ChildProcess {
  try {
    return start(words, options, platform);
  } catch (error) {
    return neverStarted(error);
  }
}

function start(
  [program, ...words]: readonly [string, ...string[]],
  options: ProgramOptions,
  platform: NodeJS.Platform,
): ChildProcess {
  if (platform !== "win32") return spawn(program, words, options);
  // If there is none, a path that leads nowhere: the bare word would be looked for in the current directory.
  const path = findWindowsProgram(program, options.env) ?? windowsSystemProgram(program, options.env);
  return /\.(?:cmd|bat)$/i.test(path)
    ? crossSpawn.spawn(path, [...words], options)
    : spawn(path, words, options);
}

/**
 * Node emits some reasons for which nothing was started, and throws others: a path through a file, a name that is too long,
 * what is no program on Windows. This is a child that emits those, too, and whose streams are empty.
 */
function neverStarted(error: unknown): ChildProcess {
  const streams = [new PassThrough().resume(), new PassThrough().end(), new PassThrough().end()] as const;
  const [stdin, stdout, stderr] = streams;
  const child = Object.assign(new ChildProcess(), { stdin, stdout, stderr });
  queueMicrotask(() => child.emit("error", error));
  return child;
}

/** The endings of programs that Windows runs by a name without its ending, if PATHEXT is not set. */
const usualEndings = ".COM;.EXE;.BAT;.CMD";

/**
 * The absolute path of the file that a word of a command line means on Windows: the word itself if it is a path, else
 * the first file of this name, with one of the endings of PATHEXT, in an absolute folder of PATH, or null.
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
function windowsFolders(path: string): readonly string[] {
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

type Environment = Readonly<Record<string, string>>;

/** The environment without empty and relative folders on its search path, which mean the current folder. */
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

/** True if the first word of a command names a program, in the folders that will be searched for it. */
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
