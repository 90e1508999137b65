// The standard streams as they really are. Node is wrong about some: it reads a folder as an empty file, drops all
// output to a descriptor of an unknown kind, and takes a partial write to a file for a whole one. An output that would
// lose a token's value is recognised here, before anything is sent. The host hands it the process.
import { constants, fstatSync, fsync, readFileSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { Readable, Writable } from "node:stream";
import { writeWhollySync } from "../files/whole-writes.ts";

export interface InputSource {
  readonly stream: Readable;
  readonly isTerminal: boolean;
}

export interface OutputTarget {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** Width in columns at the moment, for a terminal. */
  readonly columns: number;
  /** Whether a person reads it in a locale that knows ASCII alone. */
  readonly isAscii: boolean;
  /** What it is, continues "standard output is", where everything written to it is lost; else null. */
  readonly whyLost: string | null;
  /**
   * Calls back when what was written lasts, with an error where it does not: a plain file is synced, and still has a
   * name. Anything else has it when it was written.
   */
  settle(done: (error: Error | null) => void): void;
  /** Whether nobody opened it, as far as that can be told from a null device that was opened on purpose. */
  readonly isClosed: boolean;
}

/** What is used of Node's own `process`. */
type Process = Pick<NodeJS.Process, "env" | "platform" | "stdin">;

/**
 * Standard input. Reading it fails where it is a folder. Node's own stream for it is made when somebody reads: that
 * takes as long as the rest of a small command's start.
 */
export function openInput(self: Process): InputSource {
  let stream: Readable | null = null;
  return {
    get stream() {
      return (stream ??= isFolder(0) ? unreadableFolder() : self.stdin);
    },
    get isTerminal() {
      return mayBeTerminal(0, self.platform) && isTerminal(self.stdin);
    },
  };
}

/** Standard output or standard error, as Node's stream and as the descriptor below it. */
export function openOutput(self: Process, stream: NodeJS.WriteStream, descriptor: number): OutputTarget {
  const isFile = isPlainFile(descriptor);
  // One that has no name from the start is read by whoever opened it.
  const hadName = isFile && fstatSync(descriptor).nlink > 0;
  return {
    stream: isFile ? wholeWrites(descriptor) : stream,
    isTerminal: isTerminal(stream),
    // What a pipe gets is data; standard error is for people, wherever it goes.
    isAscii: (isTerminal(stream) || descriptor === 2) && isAsciiLocale(self.env),
    // A terminal that was never told its size says 0.
    get columns() {
      return (isTerminal(stream) && stream.columns) || 80;
    },
    get whyLost() {
      return whyLost(stream, descriptor, self.platform);
    },
    settle(done) {
      if (!isFile) {
        done(null);
        return;
      }
      fsync(descriptor, (error) => {
        if (error !== null && !cannotSync.has(error.code ?? "")) done(error);
        else if (hadName && fstatSync(descriptor).nlink === 0)
          done(new Error("its file was removed meanwhile"));
        else done(null);
      });
    },
    get isClosed() {
      return isNullDevice(descriptor, self.platform) && !isForWritingAlone(descriptor);
    },
  };
}

/** What a file system answers that has nothing to sync. */
const cannotSync = new Set(["EINVAL", "ENOSYS", "ENOTSUP"]);

// Node leaves `isTTY` undefined, against its types, on what is no terminal.
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

function whyLost(stream: Writable, descriptor: number, platform: NodeJS.Platform): string | null {
  const closed = "closed or the null device";
  try {
    const target = fstatSync(descriptor);
    if (target.isDirectory()) return "a folder";
    if (target.isCharacterDevice() && target.rdev === statSync(devNull).rdev) return closed;
    // Every kind that Node can write to has a class of its own; for the others it takes everything and does nothing.
    if (!target.isFile() && Object.getPrototypeOf(stream) === Writable.prototype)
      return "of a kind that takes nothing";
    // Nothing is written, and a descriptor that is open for reading says so.
    writeSync(descriptor, Buffer.alloc(0));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Windows has other errors for consoles that work.
    if (code === "EBADF" && platform !== "win32")
      return isOpen(descriptor) ? "open for reading alone" : closed;
    return null;
  }
}

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    return false;
  }
}

/** Node takes a folder on standard input for an empty file. */
function unreadableFolder(): Readable {
  const failure: NodeJS.ErrnoException = new Error("standard input is a folder");
  failure.code = "EISDIR";
  return new Readable({
    read() {
      this.destroy(failure);
    },
  });
}

/** Whether a descriptor is of the kind that terminals are. */
function mayBeTerminal(descriptor: number, platform: NodeJS.Platform): boolean {
  // Windows has consoles of other kinds.
  if (platform === "win32") return true;
  try {
    const target = fstatSync(descriptor);
    return target.isCharacterDevice() && target.rdev !== statSync(devNull).rdev;
  } catch {
    return false;
  }
}

function isPlainFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** Node's own stream for files takes a write that was cut short for a whole one. */
function wholeWrites(descriptor: number): Writable {
  return new Writable({
    write(chunk: Buffer, _, done) {
      try {
        writeWhollySync(descriptor, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function isNullDevice(descriptor: number, platform: NodeJS.Platform): boolean {
  try {
    const target = fstatSync(descriptor);
    return target.isCharacterDevice() && target.rdev === statSync(devNull).rdev;
  } catch {
    return platform !== "win32";
  }
}

/**
 * A closed descriptor is opened by Node on the null device for reading and writing; a redirection opens it for writing.
 */
function isForWritingAlone(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & 0o3) === constants.O_WRONLY;
  } catch {
    // No such thing here, so that it cannot be told.
    return true;
  }
}

/** Whether the locale of characters is the one of POSIX. One that was never set says nothing. */
function isAsciiLocale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  return locale === "C" || locale === "POSIX";
}
