// Runs one program and measures it from outside: wall time from the start to the end of the process, its peak memory,
// and its output. The environment has only the given variables, so that the machine's settings have no effect.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input?: string;
  /** Milliseconds between two reads of its output; 0 to read without delay. */
  readonly readerPauseMs?: number;
  /** Called once, with the first output. */
  readonly onFirstOutput?: (text: string, afterMs: number) => void;
  /** True to measure its peak memory. */
  readonly isWeighed?: boolean;
}

export interface Run {
  readonly milliseconds: number;
  readonly bytes: number;
  /** Peak memory; NaN if the system does not report it. */
  readonly peakMegabytes: number;
}

const weighingPauseMs = 10;

/** Runs the program to completion. Throws with its error output if it fails. */
export async function runProgram(program: Program): Promise<Run> {
  const { command, words, environment = {}, input = "", readerPauseMs = 0 } = program;
  const started = performance.now();
  const child = spawn(command, words, {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...environment },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  let peakMegabytes = NaN;
  const weigh = (): void => {
    peakMegabytes = peakMegabytesOf(child.pid) ?? peakMegabytes;
  };
  const weighing = program.isWeighed === true ? setInterval(weigh, weighingPauseMs) : undefined;
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  let bytes = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (bytes === 0) program.onFirstOutput?.(chunk.toString("utf8"), performance.now() - started);
    bytes += chunk.length;
    if (readerPauseMs > 0) await delay(readerPauseMs);
  }
  weigh();
  const code = await ended;
  const milliseconds = performance.now() - started;
  clearInterval(weighing);
  if (code !== 0) throw new Error(`${program.name} ended with ${code}: ${said}`);
  return { milliseconds, bytes, peakMegabytes };
}

/** Runs programs in turns, so that other load on the machine affects all of them. Discards the first round. */
export async function runByTurns(
  programs: readonly Program[],
  rounds: number,
): Promise<ReadonlyMap<Program, readonly Run[]>> {
  const runs = new Map<Program, Run[]>(programs.map((program) => [program, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const program of programs) {
      const run = await runProgram(program);
      if (round > 0) runs.get(program)?.push(run);
    }
  }
  return runs;
}

/** The program's path, or null if it is not installed. */
export function findInstalled(name: string): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function peakMegabytesOf(pid: number | undefined): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}
