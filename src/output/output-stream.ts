// Standard output and standard error with writes that can be awaited.
//
//   closed pipe   PipeClosed: a list ends quietly, a job goes on; a new token, or one change's report, counts as undelivered
//   write error   a usage failure
import { access, constants, lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Failure, usageFailure } from "../errors/errors.ts";
import { systemFailure } from "../errors/words.ts";
import type { Host } from "../system/host.ts";
import type { OutputTarget } from "../system/standard-streams.ts";

/** The reader of standard output has closed the pipe (EPIPE). */
export class PipeClosed extends Error {
  override readonly name = "PipeClosed";
}

export type OutputStream = ReturnType<typeof createOutputStream>;

/** Wraps a target, whose errors become failures of the run. `mayBlock`: see `OutputTarget.write`. */
export function createOutputStream(
  target: Pick<OutputTarget, "write" | "isTerminal" | "columns" | "flush">,
  mayBlock = false,
) {
  return {
    isTerminal: target.isTerminal,
    get columns(): number {
      return target.columns;
    },
    /** Resolves when the operating system has the text. Rejects with PipeClosed, or a Failure on any other error. */
    write: (text: string | Buffer): Promise<void> => target.write(text, mayBlock).catch(throwWriteFailure),
    /** Resolves when the written text survives a power cut (fsync of a plain file). Rejects as `write` does. */
    flush: (): Promise<void> => target.flush().catch(throwWriteFailure),
  };
}

/** Resolves with false if the reader closes the pipe. That does not end the run, whose exit code reports the result. */
export async function printUnlessPipeClosed(print: () => Promise<void>): Promise<boolean> {
  try {
    await print();
    return true;
  } catch (error) {
    if (error instanceof PipeClosed) return false;
    throw error;
  }
}

/** Throws if standard output would lose a value. Call it before the request that creates one. */
export function checkKeepsOutput({ stdout }: Pick<Host, "stdout">, value = "the token's value"): void {
  const { whyLost } = stdout;
  if (whyLost === null) return;
  throw usageFailure(
    `standard output is ${whyLost}, so ${value} would be lost`,
    "Write it to a pipe, a file or a terminal.",
  );
}

/** Checks the file of --output-file: a new one, or with `force` any plain file; false: it cannot be forced. Throws a usage failure. */
export async function checkOutputFile(path: string | undefined, force?: boolean): Promise<void> {
  if (path === undefined) {
    if (force === true) throw usageFailure("--force requires --output-file");
    return;
  }
  if (path === "" || path === "-")
    throw usageFailure("--output-file names no file", "Omit it to write to standard output.");
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() === false) throw usageFailure(`${path} is not a plain file`);
  if (found !== null && force !== true)
    throw usageFailure(`${path} already exists`, `Use a new file${force === false ? "" : orForce}.`);
  try {
    await access(`${dirname(resolve(path))}/.`, constants.W_OK);
  } catch (error) {
    throw systemFailure(error, `nothing was sent, because ${path} cannot be written`);
  }
}

const orForce = ", or add --force to replace it";

export function throwWriteFailure(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED")
    throw new PipeClosed("standard output is closed", { cause: error });
  throw new Failure("usage", `standard output cannot be written: ${error.message}`, { cause: error });
}

/** Writes the report of a change that was made. Throws an `undelivered` failure with this message if that fails. */
export async function writeOrUndelivered(
  write: () => Promise<void>,
  message = "the request succeeded, but the new token was not delivered",
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof PipeClosed || error instanceof Failure)) throw error;
    const why = error instanceof Failure ? `: ${error.message}` : "";
    throw new Failure("undelivered", `${message}${why}`, { cause: error });
  }
}
