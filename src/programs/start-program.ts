// Starts another program by its words, without a shell. On Windows a script of cmd.exe (`npm` is one) is started as well,
// with its words as they were typed.
import { ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { PassThrough } from "node:stream";
import crossSpawn from "cross-spawn";
import { findWindowsProgram, windowsSystemProgram } from "./find-program.ts";

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
  // Where there is none, a path that leads nowhere: the bare word would be looked for in the current folder.
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
