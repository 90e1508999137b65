// Finds programs in the absolute folders of PATH, and starts them without a shell. cross-spawn starts batch files of Windows,
// such as `npm`, with their arguments unchanged.
//
// The current directory is never searched, because others may be able to write to it and could then have any program
// run. Windows searches it before PATH; elsewhere, empty or relative entries of PATH refer to it.
import crossSpawn from "cross-spawn";
import { ChildProcess, type SpawnOptions } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import { PassThrough } from "node:stream";

type Environment = Readonly<Record<string, string>>;

/** Starts a program. If that fails for any reason, the child emits `error`. `platform` is this machine's. */
export function startProgram(
  [program, ...words]: readonly [string, ...string[]],
  options: SpawnOptions & { readonly env: Environment },
  platform: NodeJS.Platform,
): ChildProcess {
  try {
    // A path that cannot be run fails with the system's reason.
    const path = findProgram(program, options.env, platform) ?? (program.includes("/") ? program : null);
    if (path !== null) return crossSpawn.spawn(path, words, { ...options, argv0: program });
    return neverStarted(Object.assign(new Error(`there is no program ${program}`), { code: "ENOENT" }));
  } catch (error) {
    // Node emits some failures itself but throws others, such as too many arguments.
    return neverStarted(error);
  }
}

/** A child with empty streams that emits `error`. */
function neverStarted(error: unknown): ChildProcess {
  const streams = [new PassThrough().resume(), new PassThrough().end(), new PassThrough().end()] as const;
  const [stdin, stdout, stderr] = streams;
  const child = Object.assign(new ChildProcess(), { stdin, stdout, stderr });
  queueMicrotask(() => child.emit("error", error));
  return child;
}

/**
 * The absolute path of a program, which may be given as a path itself; null if there is none. On Windows, the extensions of
 * PATHEXT may be omitted.
 */
export function findProgram(
  word: string,
  environment: Environment,
  platform: NodeJS.Platform,
  isRunnable = isRunnableFile,
): string | null {
  const isWindows = platform === "win32";
  const paths = isWindows ? win32 : posix;
  const extensions = isWindows
    ? (variableOf(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")
    : [];
  const path = isWindows ? variableOf(environment, "PATH") : environment["PATH"];
  const folders = (path ?? "/usr/bin:/bin")
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder));
  return (
    (/\//.test(word) || (isWindows && /[\\:]/.test(word)) ? [""] : folders)
      .flatMap((folder) => [...extensions, ""].map((extension) => paths.resolve(folder, word + extension)))
      .find((file) => isRunnable(file)) ?? null
  );
}

/** The path of a system program of Windows, independent of PATH. */
export function windowsSystemProgram(name: string, environment: Environment): string {
  return win32.join(variableOf(environment, "SYSTEMROOT") ?? "C:\\Windows", "System32", name);
}

/** Looks a variable up case-insensitively, as Windows does. */
function variableOf(environment: Environment, name: string): string | undefined {
  return Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isRunnableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
