// Runs one program and measures it from outside: wall time from the start to the end of the process, the most memory it
// held, what it wrote. The environment is empty but for the given variables, so that no setting of the machine decides.
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
  /** Milliseconds between two looks at what it wrote; 0 to take everything at once. */
  readonly readerPauseMs?: number;
  /** Called once, with the first of what it wrote. */
  readonly onFirstOutput?: (text: string, afterMs: number) => void;
  /** True if a look at its memory is worth the problem. */
  readonly isWeighed?: boolean;
}

export interface Run {
  readonly milliseconds: number;
  readonly bytes: number;
  /** Of memory at most; NaN where the system does not tell. */
  readonly peakMegabytes: number;
}

const weighingPauseMs = 10;

/** Runs it to its end. Throws when it fails, with what it said. */
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

/** Runs programs by turns, so that what else the machine does meets all of them. The first round is thrown away. */
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
