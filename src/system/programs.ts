// Finds programs in the absolute folders of PATH, and starts them without a shell, or runs them to completion with a time
// limit. cross-spawn starts batch files of Windows, such as `npm`, with their arguments unchanged.
//
// The current directory is never searched, because others may be able to write to it and could then have any program
// run. Windows searches it before PATH; elsewhere, empty or relative entries of PATH refer to it.
//
// Text for standard input is passed as an in-memory file. Node would pass a socket, which on Linux cannot be reopened
// as /dev/stdin, as `kubectl create secret … --from-file=token=/dev/stdin` does.
import crossSpawn from "cross-spawn";
import { ChildProcess, type SpawnOptions } from "node:child_process";
import { accessSync, closeSync, constants, openSync, statfsSync, statSync } from "node:fs";
import { delimiter, isAbsolute, resolve, win32 } from "node:path";
import { isWindows } from "./standard-streams.ts";
import { writeFullySync } from "./writes.ts";

type Environment = Readonly<Record<string, string>>;

/** Starts a program. If it is not there or cannot be run, the child emits `error`. */
export function startProgram(
  [program, ...words]: readonly [string, ...string[]],
  options: SpawnOptions & { readonly env: Environment },
): ChildProcess {
  try {
    // A path that cannot be run fails with the system's reason.
    const path = findProgram(program, options.env) ?? (program.includes("/") ? program : null);
    if (path !== null) return crossSpawn.spawn(path, words, { ...options, argv0: program });
    throw Object.assign(new Error(`there is no program ${program}`), { code: "ENOENT" });
  } catch (error) {
    // Node emits some failures itself but throws others.
    const child = new ChildProcess();
    queueMicrotask(() => child.emit("error", error));
    return child;
  }
}

/**
 * The absolute path of a program, which may be given as a path itself; null if there is none. On Windows, the extensions of
 * PATHEXT may be omitted.
 */
export function findProgram(word: string, environment: Environment): string | null {
  const extensions = isWindows
    ? (variableOf(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")
    : [];
  const path = isWindows ? variableOf(environment, "PATH") : environment["PATH"];
  const folders = (path ?? "/usr/bin:/bin").split(delimiter).filter((folder) => isAbsolute(folder));
  return (
    (/\//.test(word) || (isWindows && /[\\:]/.test(word)) ? [""] : folders)
      .flatMap((folder) => [...extensions, ""].map((extension) => resolve(folder, word + extension)))
      .find((file) => isRunnableFile(file)) ?? null
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

interface RunProgramOptions {
  readonly environment: Environment;
  readonly timeoutMs: number;
  /** The child's standard input: this text, that of grantctl, or nothing. */
  readonly input: { readonly text: string } | "inherit" | "ignore";
  /** The child's standard error: that of grantctl, part of the output, or nothing. */
  readonly errors: "inherit" | "output" | "ignore";
}

interface ProgramEnd {
  readonly output: string;
  /** Completes a sentence about the program; null for exit code 0. */
  readonly problem: string | null;
  readonly cause?: NodeJS.ErrnoException;
}

/**
 * How long to wait for output after the exit: background processes of the program may hold its streams open forever.
 */
const outputGraceMs = 250;

/** Enough for a secret or a message; the rest is dropped. */
const mostOutputBytes = 256 * 1024;

/** Runs a program. Resolves once its output is consumed. */
export function runProgram(
  words: readonly [string, ...string[]],
  { environment, timeoutMs, input, errors }: RunProgramOptions,
): Promise<ProgramEnd> {
  return new Promise((finish) => {
    const text = typeof input === "string" ? null : input.text;
    const file = text === null ? null : openInputFile(text);
    const stdin = typeof input === "string" ? input : (file ?? "pipe");
    const stderr = errors === "output" ? "pipe" : errors;
    const stdio = [stdin, "pipe", stderr] as const;
    const child = startProgram(words, { env: environment, stdio: [...stdio], windowsHide: true });
    if (file !== null) closeSync(file);
    const chunks: Buffer[] = [];
    let length = 0;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (length < mostOutputBytes) chunks.push(chunk);
        length += chunk.length;
      });
    let problem: string | null = null;
    // Node's own timer would outlive a program that could not be started. After Ctrl-Z and `fg`, it may have ended already.
    const timer = setTimeout(() => setImmediate(() => child.kill("SIGKILL")), timeoutMs);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      finish({ output: "", problem: "could not be run", cause });
    });
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      if (child.killed) problem = `took longer than ${timeoutMs / 1000} s`;
      else if (signal !== null) problem = `was ended by ${signal}`;
      else if (code !== 0) problem = `exited with code ${code}`;
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, outputGraceMs).unref();
    });
    child.on("close", (): void => finish({ output: Buffer.concat(chunks).toString(), problem }));
    // EPIPE: the program exited without reading its input. Its exit code decides whether that is a problem.
    child.stdin?.on("error", () => undefined);
    if (text !== null) child.stdin?.end(text);
  });
}

/** A tmpfs: its files are not written to disk. */
const memoryFolder = "/dev/shm";
const tmpfs = 0x01021994;

/** Linux's O_TMPFILE (a file without a name), for which Node has no constant. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/** An unnamed in-memory file with the text, positioned at its beginning; null if the system has none. */
function openInputFile(text: string): number | null {
  try {
    if (statfsSync(memoryFolder).type !== tmpfs) return null;
    const descriptor = openSync(memoryFolder, withoutName | constants.O_RDWR | constants.O_EXCL, 0o600);
    // A positioned write leaves the file offset at the beginning.
    writeFullySync(descriptor, Buffer.from(text), 0);
    return descriptor;
  } catch {
    return null;
  }
}
