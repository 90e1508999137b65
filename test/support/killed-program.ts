// Runs the built program and ends it with any signal, at a time that the test chooses.
import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { finishWith, program, type Finished } from "./binary.ts";
import { runMain } from "./test-host.ts";

export interface RunningProgram {
  readonly child: ChildProcess;
  /** Resolves when the program has exited and its streams are closed. */
  readonly finished: Promise<Finished>;
}

/** Starts `grantctl` in a new session; its standard input is available from the start. */
export function startProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: string,
): RunningProgram {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...environment },
    detached: true,
  });
  return { child, finished: finishWith(input, child) };
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The ID of an interrupted job in `grantctl recover list`, or null. */
export async function unfinishedJob(environment: Readonly<Record<string, string>>): Promise<string | null> {
  const { stdout } = await runMain(["recover", "list", "--json", "id"], { environment });
  const [row] = JSON.parse(stdout) as readonly { readonly id: string }[];
  return row?.id ?? null;
}
