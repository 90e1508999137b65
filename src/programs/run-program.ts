// Runs another program to its end, without a shell, within a time limit. Nothing of the current folder is run because of
// the search path.
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { openInputFile } from "./input-file.ts";
import { withoutCurrentFolder } from "./search-path.ts";
import { startProgram } from "./start-program.ts";

export interface RunProgramOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** What is on its standard input: this text, that of this program, or nothing. */
  readonly input: { readonly text: string } | "inherit" | "ignore";
  readonly onOutput: (chunk: Buffer) => void;
  /** Takes what it prints on standard error, which is this program's where nothing takes it. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

/** What went wrong, as the end of a sentence about the program. */
export interface ProgramProblem {
  readonly what: string;
  readonly cause?: NodeJS.ErrnoException;
}

/** A background process that the program started may hold its streams open for ever; its own output arrives at once. */
const outputGraceMs = 250;

/** Runs a program; resolves with what went wrong, or null for exit code 0, when its output is taken. */
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
      else end(code === 0 ? null : { what: `ended with exit code ${code}` });
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
