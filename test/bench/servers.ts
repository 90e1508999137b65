// Starts and stops servers as separate processes: the double, the floor, the sandbox.
import { spawn } from "node:child_process";
import type { Surroundings } from "./measure.ts";
import type { DoubleOptions } from "./service-double.ts";

export interface RunningServer {
  /** The first line of its output. */
  readonly line: string;
  /** Milliseconds until that line. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Starts any server that prints a line when it is ready. */
export function startServer(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<RunningServer> {
  const started = performance.now();
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", ...environment },
  });
  return new Promise((resolve, reject) => {
    let text = "";
    const ended = new Promise<void>((end) => {
      child.once("exit", (code) => {
        end();
        reject(new Error(`${words.join(" ")} ended with ${code}`));
      });
    });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n")) return;
      resolve({
        line: text.slice(0, text.indexOf("\n")),
        readyMs: performance.now() - started,
        async stop() {
          child.kill("SIGTERM");
          await ended;
        },
      });
    });
  });
}

/** Runs `work` with the URL of a double with this behaviour. */
export async function withDouble<T>(
  { programOf }: Surroundings,
  options: Partial<DoubleOptions>,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const all: DoubleOptions = { pages: 1, perPage: 100, latencyMs: 0, holdsSecondPage: false, ...options };
  const server = await startServer([programOf("service-double"), JSON.stringify(all)]);
  try {
    return await work(server.line);
  } finally {
    await server.stop();
  }
}
