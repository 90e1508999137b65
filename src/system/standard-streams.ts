// The standard streams. Node takes a partial write to a file for a complete one; here the rest is written.
//
// An output that would lose a token's value is detected before any request (`whyLost`). Streams are created on first
// use, because that takes longer than a small command's work.
import { createReadStream, fstatSync, fsync, statSync, writeSync, type Stats } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { writeFullySync } from "./writes.ts";

/** Standard input. */
export function openInput() {
  return {
    get stream(): Readable {
      // Node takes a directory for empty input. Reading the descriptor fails, as it should.
      return statsOrNull(0)?.isDirectory() === true ? createReadStream("", { fd: 0 }) : process.stdin;
    },
    isTerminal: isatty(0),
  };
}

export type OutputTarget = ReturnType<typeof openOutput>;

/** Standard output (1) or standard error (2), as Node's stream and as the descriptor below it. */
export function openOutput(descriptor: 1 | 2) {
  const nodeStream = (): NodeJS.WriteStream => (descriptor === 1 ? process.stdout : process.stderr);
  let stream: Writable | null = null;
  const isTerminal = isatty(descriptor);
  const stats = statsOrNull(descriptor);
  const isFile = stats?.isFile() === true;
  return {
    get stream(): Writable {
      return (stream ??= isFile ? wholeWrites(descriptor) : nodeStream());
    },
    isTerminal,
    /** True for a pipe, whose reader may print on the terminal at any time. */
    isPipe: stats?.isFIFO() === true,
    /** The current size of a terminal; one whose size was never set reports 0. */
    get columns(): number {
      return (isTerminal && nodeStream().columns) || 80;
    },
    get rows(): number {
      return (isTerminal && nodeStream().rows) || 24;
    },
    /** The reason why all output is lost, to complete "standard output is …"; null if it is not. */
    get whyLost() {
      return whyLost(descriptor);
    },
    /**
     * Calls back when the output to a plain file is synced, with an error if that fails. Calls back immediately for anything
     * else, such as a pipe.
     */
    settle(done: (error: Error | null) => void): void {
      if (!isFile) {
        done(null);
        return;
      }
      fsync(descriptor, (error) => {
        done(error === null || cannotSync.has(error.code ?? "") ? null : error);
      });
    },
  };
}

/** Errors of fsync on file systems that cannot sync. */
const cannotSync = new Set(["EINVAL", "ENOSYS", "ENOTSUP"]);

function whyLost(descriptor: number): string | null {
  const closed = "closed or the null device";
  try {
    const target = fstatSync(descriptor);
    if (target.isDirectory()) return "a directory";
    if (isDevNull(target)) return closed;
    // An empty write fails on a descriptor that is open only for reading.
    writeSync(descriptor, Buffer.alloc(0));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // On Windows, writable consoles also return this error.
    return code === "EBADF" && process.platform !== "win32" ? closed : null;
  }
}

/** Null for a descriptor that is closed. */
function statsOrNull(descriptor: number): Stats | null {
  try {
    return fstatSync(descriptor);
  } catch {
    return null;
  }
}

/** Node's own stream for files takes a partial write for a complete one. */
function wholeWrites(descriptor: number): Writable {
  const { Writable } = process.getBuiltinModule("node:stream");
  return new Writable({
    write(chunk: Buffer, _, done) {
      try {
        writeFullySync(descriptor, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function isDevNull(target: Stats): boolean {
  return target.isCharacterDevice() && target.rdev === statSync(devNull).rdev;
}
