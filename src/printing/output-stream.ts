// Standard output and standard error with writes that can be awaited. If the reader has closed the pipe, a list ends
// quietly, but a new token counts as undelivered, and so does the report of a change.
import { toAscii } from "../drawing/sanitise.ts";
import { Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import type { OutputTarget } from "../host/standard-streams.ts";
import type { Jq } from "../jq/jq.ts";
import type { Writable } from "node:stream";

/** The reader of standard output has closed the pipe. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

export interface OutputStream {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** True if it can show only ASCII: text is written as its nearest in ASCII. */
  readonly isAscii?: boolean;
  /** Resolves when the operating system has the text. Rejects with ReaderGone, or a Failure on any other error. */
  write(text: string | Buffer): Promise<void>;
  /** Resolves when the written text survives a power cut: syncs a plain file. Rejects as `write` does. */
  settle(): Promise<void>;
}

/** Wraps a stream, which is made by the first write, and listens to its errors so that none is unhandled. */
export function createOutputStream(target: OutputTarget): OutputStream {
  const { isTerminal, isAscii } = target;
  let opened: Writable | null = null;
  const open = (): Writable => (opened ??= target.stream.on("error", () => undefined));
  return {
    isTerminal,
    isAscii,
    get columns() {
      return target.columns;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const shown = isAscii && typeof text === "string" ? toAscii(text) : text;
        open().write(shown, (error) => {
          if (error === undefined || error === null) resolve();
          else reject(writeFailure(error));
        });
      }),
    settle: () =>
      new Promise((resolve, reject) => {
        target.settle((error) => {
          if (error === null) resolve();
          else reject(writeFailure(error));
        });
      }),
  };
}

/**
 * Prints for a run whose exit code is an answer, too: where the reader has closed the pipe, that code is still to come.
 * Resolves with whether everything was read.
 */
export async function printWhileRead(print: () => Promise<void>): Promise<boolean> {
  try {
    await print();
    return true;
  } catch (error) {
    if (error instanceof ReaderGone) return false;
    throw error;
  }
}

function writeFailure(error: NodeJS.ErrnoException): Error {
  if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") {
    return new ReaderGone("standard output is closed", { cause: error });
  }
  return new Failure("usage", `standard output cannot be written: ${foreign(error.message)}`, {
    cause: error,
  });
}

/** The failure for a new token that is not in the output of jq; `reason` tells why there is none. */
export function undelivered(reason: string | null = null, cause?: unknown): Failure {
  const why = reason === null ? "" : `: ${reason}`;
  return new Failure("undelivered", `the token exists, but --jq made nothing of it${why}`, { cause });
}

/**
 * The output of jq for a token's JSON. Throws an `undelivered` failure if jq fails or prints nothing, because nobody
 * would then see the value.
 */
export function valueThrough(jq: Jq, json: string, toText: (results: readonly string[]) => string): string {
  let results: readonly string[];
  try {
    results = jq.run(json);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw undelivered(error.marked.replace(/^--jq: /, ""), error);
  }
  // A mistyped field name gives null.
  if (results.every((result) => /^\s*(?:null)?\s*$/.test(result))) throw undelivered();
  return toText(results);
}

/**
 * Writes the report of a change that was made; throws an `undelivered` failure when it cannot be written. `what` begins
 * the message.
 */
export async function delivering(
  write: () => Promise<void>,
  what = "the token exists, but standard output did not take its value",
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ReaderGone || error instanceof Failure)) throw error;
    const why = error instanceof Failure ? { hint: error.message } : {};
    throw new Failure("undelivered", what, { cause: error, ...why });
  }
}
