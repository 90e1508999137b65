// Runs another program to completion, without a shell and with a time limit.
//
// Text for standard input is passed as an in-memory file. Node would pass a socket, which on Linux cannot be reopened
// as /dev/stdin, as `kubectl create secret … --from-file=token=/dev/stdin` does.
import { closeSync, constants, openSync, statfsSync } from "node:fs";
import type { Readable } from "node:stream";
import { writeFullySync } from "./writes.ts";
import { startProgram } from "./start-program.ts";

interface RunProgramOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** The child's standard input: this text, that of grantctl, or nothing. */
  readonly input: { readonly text: string } | "inherit" | "ignore";
  readonly onOutput: (chunk: Buffer) => void;
  /** Receives the child's standard error; if absent, the child writes to that of grantctl. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

/** A problem; `what` completes a sentence about the program. */
interface ProgramProblem {
  readonly what: string;
  readonly cause?: NodeJS.ErrnoException;
}

/**
 * How long to wait for output after the exit: background processes of the program may hold its streams open forever.
 */
const outputGraceMs = 250;

/** Runs a program. Resolves once its output is consumed, with null for exit code 0 and otherwise with the problem. */
export function runProgram(
  words: readonly [string, ...string[]],
  { environment, platform, timeoutMs, input, onOutput, onErrorOutput }: RunProgramOptions,
): Promise<ProgramProblem | null> {
  return new Promise((resolve) => {
    const text = typeof input === "string" ? null : input.text;
    const file = text === null ? null : openInputFile(text, platform);
    const child = startProgram(
      words,
      {
        env: environment,
        stdio: [
          typeof input === "string" ? input : (file ?? "pipe"),
          "pipe",
          onErrorOutput === undefined ? "inherit" : "pipe",
        ],
        windowsHide: true,
        timeout: timeoutMs,
        killSignal: "SIGKILL",
      },
      platform,
    );
    if (file !== null) closeSync(file);
    const streams = [child.stdout, child.stderr].filter((stream): stream is Readable => stream !== null);
    const closed = streams.map(untilClosed);
    child.stdout?.on("data", onOutput);
    if (onErrorOutput !== undefined) child.stderr?.on("data", onErrorOutput);
    const closeStreams = (): void => {
      for (const stream of streams) stream.destroy();
    };
    const end = (problem: ProgramProblem | null): void => {
      const grace = setTimeout(closeStreams, outputGraceMs);
      resolve(
        Promise.all(closed).then(() => {
          clearTimeout(grace);
          return problem;
        }),
      );
    };
    child.on("error", (cause: NodeJS.ErrnoException) => {
      end({ what: "could not be run", cause });
      closeStreams();
    });
    child.on("exit", (code, signal) => {
      if (child.killed) end({ what: `took longer than ${timeoutMs / 1000} s` });
      else if (signal !== null) end({ what: `was ended by ${signal}` });
      else end(code === 0 ? null : { what: `exited with code ${code}` });
    });
    // EPIPE: the program exited without reading its input. Its exit code decides whether that is a problem.
    child.stdin?.on("error", () => undefined);
    if (text !== null) child.stdin?.end(text);
  });
}

function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => undefined).once("close", resolve);
  });
}

/** A tmpfs: its files are not written to disk. */
const memoryFolder = "/dev/shm";
const tmpfs = 0x01021994;

/** Linux's O_TMPFILE (a file without a name), for which Node has no constant. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/**
 * Opens an unnamed in-memory file that contains the text, positioned at its beginning; null if the system does not
 * support it.
 */
function openInputFile(text: string, platform: NodeJS.Platform): number | null {
  if (platform !== "linux") return null;
  let descriptor: number | null = null;
  try {
    if (statfsSync(memoryFolder).type !== tmpfs) return null;
    descriptor = openSync(memoryFolder, withoutName | constants.O_RDWR | constants.O_EXCL, 0o600);
    // A positioned write leaves the file offset at the beginning.
    writeFullySync(descriptor, Buffer.from(text), 0);
    return descriptor;
  } catch {
    if (descriptor !== null) closeSync(descriptor);
    return null;
  }
}
