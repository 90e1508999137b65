// Runs another program to its end, without a shell, within a time limit. The search path never leads it to a program in
// the current folder.
//
// Text for its standard input is passed in a file in memory. Node would pass a socket, which on Linux cannot be opened
// again as /dev/stdin, as `kubectl create secret … --from-file=token=/dev/stdin` does.
import { closeSync, constants, openSync, statfsSync } from "node:fs";
import type { Readable } from "node:stream";
import { writeFullySync } from "../files/writes.ts";
import { startProgram, withoutCurrentFolder } from "./start-program.ts";

interface RunProgramOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** Its standard input: this text, that of this program, or nothing. */
  readonly input: { readonly text: string } | "inherit" | "ignore";
  readonly onOutput: (chunk: Buffer) => void;
  /** Takes its standard error; without it, the program writes to that of this program. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

/** A problem, as the end of a sentence about the program. */
interface ProgramProblem {
  readonly what: string;
  readonly cause?: NodeJS.ErrnoException;
}

/** A background process that the program started may hold its streams open for ever; its own output arrives at once. */
const outputGraceMs = 250;

/** Runs a program; resolves, when its output is taken, with the problem or, for exit code 0, with null. */
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
        env: withoutCurrentFolder(environment, platform),
        stdio: [
          typeof input === "string" ? input : (file ?? "pipe"),
          "pipe",
          onErrorOutput === undefined ? "inherit" : "pipe",
        ],
        windowsHide: true,
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
      clearTimeout(timer);
      const grace = setTimeout(closeStreams, outputGraceMs);
      resolve(
        Promise.all(closed).then(() => {
          clearTimeout(grace);
          return problem;
        }),
      );
    };
    const timer = setTimeout(() => {
      end({ what: `took longer than ${timeoutMs / 1000} s` });
      child.kill("SIGKILL");
      child.unref();
    }, timeoutMs);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      end({ what: "could not be run", cause });
      closeStreams();
    });
    child.on("exit", (code, signal) => {
      if (signal !== null) end({ what: `was ended by ${signal}` });
      else end(code === 0 ? null : { what: `exited with code ${code}` });
    });
    // EPIPE of a program that ends without reading: its exit code says whether that was meant.
    child.stdin?.on("error", () => undefined);
    if (text !== null) child.stdin?.end(text);
  });
}

function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.on("error", () => undefined).once("close", resolve);
  });
}

/** A folder in memory: its files are on no disk. */
const memoryFolder = "/dev/shm";
const tmpfs = 0x01021994;

/** Linux's O_TMPFILE, a file that never has a name, which Node does not name. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/**
 * A file in memory, without a name, that contains the text and is positioned at its beginning; null if the system has
 * none.
 */
function openInputFile(text: string, platform: NodeJS.Platform): number | null {
  if (platform !== "linux") return null;
  let descriptor: number | null = null;
  try {
    if (statfsSync(memoryFolder).type !== tmpfs) return null;
    descriptor = openSync(memoryFolder, withoutName | constants.O_RDWR | constants.O_EXCL, 0o600);
    // With a position, so that the descriptor stays at the beginning.
    writeFullySync(descriptor, Buffer.from(text), 0);
    return descriptor;
  } catch {
    if (descriptor !== null) closeSync(descriptor);
    return null;
  }
}
