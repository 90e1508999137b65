// Standard output and standard error with writes that can be awaited. If the reader has closed the pipe, a list ends
// quietly, but a token counts as not delivered.
import type { Writable } from "node:stream";
import { Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import type { OutputTarget } from "../host/standard-streams.ts";
import { toAscii } from "../drawing/sanitise.ts";

/** The reader of standard output has closed the pipe. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

export interface OutputStream {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether it can show only ASCII: text is written as its nearest in ASCII. */
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
