// Runs a command that prints a secret or a code: an argument list without a shell, with a time limit, its standard
// error passed through, its terminal kept so that it may ask for a passphrase itself.
import { isUtf8 } from "node:buffer";
import { Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { runProgram } from "../programs/run-program.ts";

const maxOutputBytes = 64 * 1024;

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
export async function runSecretCommand(
  words: readonly [string, ...string[]],
  { environment, platform, timeoutMs, sharesStandardInput }: SecretCommandOptions,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const problem = await runProgram(words, {
    environment,
    platform,
    timeoutMs,
    input: sharesStandardInput ? "inherit" : "ignore",
    onOutput(chunk) {
      size += chunk.length;
      if (size <= maxOutputBytes) chunks.push(chunk);
    },
  });
  const fail = (what: string, cause?: unknown): Failure =>
    new Failure("authentication", `the command ${foreign(words[0])} ${what}`, { cause });
  if (problem !== null) throw fail(problem.what, problem.cause);
  if (size > maxOutputBytes) throw fail("printed too much");
  const output = Buffer.concat(chunks);
  if (!isUtf8(output)) throw fail("printed something that is not UTF-8 text");
  const line = firstLine(output.toString("utf8"));
  if (line === "") throw fail("printed nothing");
  return line;
}

/** The first line of a text, without byte order mark and line end. */
function firstLine(text: string): string {
  return /^\uFEFF?([^\r\n]*)/.exec(text)?.[1] ?? "";
}
