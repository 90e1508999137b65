// Standard output and standard error as things that can be waited for. Owns back-pressure and the closed pipe: a
// reader that went away ends a list quietly, and is never taken for a value delivered.
import type { OutputTarget } from "../host/standard-streams.ts";
import { toAscii } from "./ascii.ts";
import { Failure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";

/** The reader of standard output went away. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

export interface OutputStream {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether it shows ASCII alone: text goes out as its nearest. */
  readonly isAscii?: boolean;
  /** Resolves when the operating system took it. Rejects with ReaderGone, or a Failure on any other error. */
  write(text: string | Buffer): Promise<void>;
  /** Resolves when what was written lasts: a plain file is synced and has its name. Rejects as `write` does. */
  settle(): Promise<void>;
}

/** Wraps a stream; its own error events are heard, so that none is ever unhandled. */
export function createOutputStream(target: OutputTarget): OutputStream {
  target.stream.on("error", () => undefined);
  return {
    isTerminal: target.isTerminal,
    isAscii: target.isAscii,
    get columns() {
      return target.columns;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const shown = target.isAscii && typeof text === "string" ? toAscii(text) : text;
        target.stream.write(shown, (error) => {
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

function writeFailure(error: NodeJS.ErrnoException): Error {
  if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") {
    return new ReaderGone("standard output is closed", { cause: error });
  }
  return new Failure("usage", `standard output cannot be written: ${foreign(error.message)}`, {
    cause: error,
  });
}
