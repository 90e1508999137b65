// The standard streams. Node takes a partial write to a file for a complete one; here the rest is written.
//
// An output that would lose a token's value is detected before any request (`whyLost`). Node's streams are created on
// first use, because that takes longer than a small command's work.
import { createReadStream, fstatSync, fsync, statSync, writeSync, type Stats } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";

/** Here, because every start loads this file: what lock.ts imports takes 2 ms. */
export const isWindows = process.platform === "win32";

export function openInput() {
  return {
    get stream(): Readable {
      // Node takes a directory for empty input. Reading the descriptor fails, as it should.
      return statsOrNull(0)?.isDirectory() === true ? createReadStream("", { fd: 0 }) : process.stdin;
    },
    isTerminal: isTerminal(0, statsOrNull(0)),
  };
}

export type OutputTarget = ReturnType<typeof openOutput>;

/** Standard output (1) or standard error (2), as Node's stream and as the descriptor below it. */
export function openOutput(descriptor: 1 | 2) {
  const nodeStream = (): NodeJS.WriteStream => (descriptor === 1 ? process.stdout : process.stderr);
  let opened: NodeJS.WriteStream | null = null;
  const stats = statsOrNull(descriptor);
  const isFile = stats?.isFile() === true;
  const isOnTerminal = isTerminal(descriptor, stats);
  return {
    /**
     * Resolves when the operating system has the text. With `mayBlock`, nothing else is going on that a full pipe would hold
     * up. A pipe then needs no stream, which takes longer to load than help takes.
     */
    async write(text: string | Buffer, mayBlock = false): Promise<void> {
      const writesNow = isFile || (mayBlock && isPipe(stats));
      let rest = Buffer.from(text);
      try {
        if (writesNow) while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        if (isFile) throw error;
        // A pipe that is closed, or that is full and does not block: the stream reports the one, and waits for the other.
      }
      if (rest.length > 0) await writeTo((opened ??= nodeStream().on("error", () => undefined)), rest);
    },
    isTerminal: isOnTerminal,
    /** True for a pipe, whose reader may print on the terminal at any time. */
    isPipe: stats?.isFIFO() === true,
    /** The current size of a terminal; one whose size was never set reports 0. */
    get columns(): number {
      return (isOnTerminal && nodeStream().columns) || 80;
    },
    get rows(): number {
      return (isOnTerminal && nodeStream().rows) || 24;
    },
    /** The reason why all output is lost, to complete "standard output is …"; null if it is not. */
    get whyLost() {
      return whyLost(descriptor);
    },
    /** Resolves when the output to a plain file is synced; for anything else, such as a pipe, at once. */
    async flush(): Promise<void> {
      if (!isFile) return;
      await promisify(fsync)(descriptor).catch((error: NodeJS.ErrnoException) => {
        if (!cannotSync.has(error.code ?? "")) throw error;
      });
    },
  };
}

/** Resolves when a stream has passed the text on. */
export function writeTo(stream: Writable, text: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Errors of fsync on file systems that cannot sync. */
const cannotSync = new Set(["EINVAL", "ENOSYS", "ENOTSUP"]);

function whyLost(descriptor: number): string | null {
  const closed = "closed or the null device";
  try {
    const target = fstatSync(descriptor);
    if (target.isDirectory()) return "a directory";
    if (target.isCharacterDevice() && target.rdev === statSync(devNull).rdev) return closed;
    // An empty write fails on a descriptor that is open only for reading.
    writeSync(descriptor, Buffer.alloc(0));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // On Windows, writable consoles also return this error.
    return code === "EBADF" && !isWindows ? closed : null;
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

/** Asks for the terminal only where there may be one, because Node's module takes long to load. */
function isTerminal(descriptor: number, stats: Stats | null): boolean {
  return stats?.isFile() !== true && !isPipe(stats) && isatty(descriptor);
}

function isPipe(stats: Stats | null): boolean {
  return stats?.isFIFO() === true || stats?.isSocket() === true;
}
