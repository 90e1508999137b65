// Runs a command that prints a secret or a code: an argument list without a shell, with a time limit, its standard
// error passed through, its terminal kept so that it may ask for a passphrase itself.
import { isUtf8 } from "node:buffer";
import { spawn } from "node:child_process";
import { Failure, usageFailure } from "../errors/errors.ts";

const maxOutputBytes = 64 * 1024;
const outputGraceMs = 250;

/** Runs words as a command and gives back what it printed. */
export type RunCommand = (words: readonly [string, ...string[]]) => Promise<string>;

export interface CommandSurroundings {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Splits a command line into words, with the shell's quotes and backslashes but none of its other powers: a `$` or a
 * `*` stays as it is written. Throws a usage failure where the line wants a shell, has an open quote, or is empty.
 */
export function splitCommand(line: string): readonly [string, ...string[]] {
  const words: string[] = [];
  const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([|&;<>()'"\\])|([^\s'"\\|&;<>()]+)/gsu;
  let word: string | null = null;
  for (const [, space, single, double, escaped, special, plain] of line.matchAll(piece)) {
    if (special !== undefined) throw notForUs(special);
    if (space === undefined) {
      // A shell would take it for the beginning of a comment.
      if (word === null && plain?.startsWith("#") === true) throw notForUs("#");
      const text = single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
      word = (word ?? "") + text;
    } else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === "") throw usageFailure("the command is empty");
  return [program, ...rest];
}

function notForUs(character: string): Error {
  if (`'"\\`.includes(character)) return usageFailure("the command ends inside of a quote");
  return usageFailure(
    `the command is run without a shell, so ${character} has no meaning`,
    "sh -c '…' runs one",
  );
}

/**
 * Runs a command and gives back the one line it printed, without line end and byte order mark.
 * Throws an authentication failure that names the command when it fails, prints nothing, or takes too long.
 */
export function createCommandRunner({ environment, timeoutMs }: CommandSurroundings): RunCommand {
  return ([program, ...words]) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, words, {
        env: environment,
        stdio: ["inherit", "pipe", "inherit"],
        windowsHide: true,
      });
      const timer = setTimeout(() => {
        reject(commandFailure(program, `took longer than ${timeoutMs / 1000} s`));
        child.kill("SIGKILL");
        // What the command itself started may hold the pipe on.
        child.stdout.destroy();
        child.unref();
      }, timeoutMs);
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on("data", (chunk: Buffer) => {
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
          child.stdout.destroy();
          if (signal !== null) reject(commandFailure(program, `was ended by ${signal}`));
          else if (code !== 0) reject(commandFailure(program, `ended with exit code ${code}`));
          else if (size > maxOutputBytes) reject(commandFailure(program, "printed too much"));
          else settleOutput(Buffer.concat(chunks));
        };
        // What it started in the background may hold the pipe for ever; what it printed itself is here at once.
        const grace = setTimeout(finish, outputGraceMs);
        child.stdout.once("close", finish);
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
  return new Failure("authentication", `the command ${program} ${what}`, { cause });
}
