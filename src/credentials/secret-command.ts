// Runs a command that prints a secret or a code: an argument list without a shell, with a time limit, its standard
// error passed through, its terminal kept so that it may ask for a passphrase itself. Nothing of the current folder
// is run because of a search path.
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { withoutCurrentFolder } from "../programs/search-path.ts";
import { startProgram } from "../programs/start-program.ts";

const maxOutputBytes = 64 * 1024;
const outputGraceMs = 250;

/** Runs words as a command and gives back what it printed. */
export type RunCommand = (words: readonly [string, ...string[]]) => Promise<string>;

export interface SecretCommandOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  /** Whether it may read this program's standard input; else it has none. */
  readonly sharesStandardInput: boolean;
}

/**
 * Runs a command and gives back the one line it printed, without line end and byte order mark.
 * Throws an authentication failure that names the command when it fails, prints nothing, or takes too long.
 */
export function createCommandRunner({
  environment,
  platform,
  timeoutMs,
  sharesStandardInput,
}: SecretCommandOptions): RunCommand {
  const childEnvironment = withoutCurrentFolder(environment, platform);
  return ([program, ...words]) =>
    new Promise((resolve, reject) => {
      const child = startProgram(
        [program, ...words],
        {
          env: childEnvironment,
          stdio: [sharesStandardInput ? "inherit" : "ignore", "pipe", "inherit"],
          windowsHide: true,
        },
        platform,
      );
      // A pipe, as was asked for above.
      const stdout = child.stdout as Readable;
      const timer = setTimeout(() => {
        reject(commandFailure(program, `took longer than ${timeoutMs / 1000} s`));
        child.kill("SIGKILL");
        // What the command itself started may hold the pipe on.
        stdout.destroy();
        child.unref();
      }, timeoutMs);
      const chunks: Buffer[] = [];
      let size = 0;
      stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxOutputBytes) chunks.push(chunk);
      });
      child.on("error", (cause) => {
        clearTimeout(timer);
        reject(commandFailure(program, "could not be run", cause));
      });
      child.on("exit", (code, signal) => {
        clearTimeout(timer);
        const finish = (): void => {
          clearTimeout(grace);
          stdout.destroy();
          if (signal !== null) reject(commandFailure(program, `was ended by ${signal}`));
          else if (code !== 0) reject(commandFailure(program, `ended with exit code ${code}`));
          else if (size > maxOutputBytes) reject(commandFailure(program, "printed too much"));
          else settleOutput(Buffer.concat(chunks));
        };
        // What it started in the background may hold the pipe for ever; what it printed itself is here at once.
        const grace = setTimeout(finish, outputGraceMs);
        stdout.once("close", finish);
      });

      const settleOutput = (output: Buffer): void => {
        if (!isUtf8(output)) reject(commandFailure(program, "printed something that is not UTF-8 text"));
        else {
          const line = firstLine(output.toString("utf8"));
          if (line === "") reject(commandFailure(program, "printed nothing"));
          else resolve(line);
        }
      };
    });
}

/** The first line of a text, without byte order mark and line end. */
function firstLine(text: string): string {
  return /^\uFEFF?([^\r\n]*)/.exec(text)?.[1] ?? "";
}

function commandFailure(program: string, what: string, cause?: unknown): Failure {
  return new Failure("authentication", `the command ${foreign(program)} ${what}`, { cause });
}
