// Starts another program by its words, without a shell. On Windows a script of cmd.exe (`npm` is one) is started as well,
// with its words as they were typed.
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import crossSpawn from "cross-spawn";
import { findWindowsProgram, windowsSystemProgram } from "./find-program.ts";

export type ProgramOptions = SpawnOptions & { readonly env: Readonly<Record<string, string>> };

/** Starts it; what cannot be started emits `error`, as with node:child_process. `platform` is this machine's. */
export function startProgram(
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
