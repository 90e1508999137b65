// The standard streams as they really are. Node is wrong about some: it reads a folder as an empty file, drops all
// output to a descriptor of an unknown kind, and takes a partial write to a file for a whole one. An output that would
// lose a token's value is recognised here, before anything is sent. A stream is made when it is first used, because that
// takes longer than a small command's work. The host hands it the process.
import { constants, fstatSync, fsync, readFileSync, statSync, writeSync, type Stats } from "node:fs";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { writeWhollySync } from "../files/writes.ts";

export interface InputSource {
  readonly stream: Readable;
  readonly isTerminal: boolean;
}

export interface OutputTarget {
  readonly stream: Writable;
  /** Writes what can be written at once, without the stream; gives back the rest, which the stream has to write. */
  writeAtOnce(bytes: Buffer): Buffer;
  readonly isTerminal: boolean;
  /** Width in columns at the moment, for a terminal. */
  readonly columns: number;
  /** Height in lines at the moment, for a terminal. */
  readonly rows: number;
  /** True if it is for a person whose locale has only ASCII. */
  readonly isAscii: boolean;
  /** Null, unless everything written to it is lost; then what it is, as the end of "standard output is …". */
  readonly whyLost: string | null;
  /**
   * Calls back when what was written to a plain file is synced, with an error where that fails or the file was deleted
   * meanwhile. For anything else, such as a pipe, it calls back at once.
   */
  settle(done: (error: Error | null) => void): void;
  /** True if it is a plain file: a shell's `>` empties it for each run. */
  readonly isFile: boolean;
  /** True if it was closed at start. Node opens the null device in its place, which a user may also have done. */
  readonly isClosed: boolean;
}

type Process = Pick<NodeJS.Process, "env" | "getBuiltinModule" | "platform" | "stderr" | "stdin" | "stdout">;

/** Standard input. Reading it fails where it is a folder. */
export function openInput(self: Process): InputSource {
  let stream: Readable | null = null;
  return {
    get stream() {
      return (stream ??= isInputFolder() ? unreadableFolder(self) : self.stdin);
    },
    get isTerminal() {
      return mayBeTerminal(0, self.platform) && isTerminal(self.stdin);
    },
  };
}

/** Standard output (1) or standard error (2), as Node's stream and as the descriptor below it. */
export function openOutput(self: Process, descriptor: 1 | 2): OutputTarget {
  const nodeStream = (): NodeJS.WriteStream => (descriptor === 1 ? self.stdout : self.stderr);
  let stream: Writable | null = null;
  const isOnTerminal = (): boolean => mayBeTerminal(descriptor, self.platform) && isTerminal(nodeStream());
  const isFile = isPlainFile(descriptor);
  // A file that was deleted before this run began is meant to be read through its descriptor, so its lack of a name
  // loses nothing.
  const hadName = isFile && fstatSync(descriptor).nlink > 0;
  return {
    get stream() {
      if (isFile) return (stream ??= wholeWrites(self, descriptor));
      return (stream ??= dropsAll(self, nodeStream()) ? failingWrites(self, descriptor) : nodeStream());
    },
    isFile,
    writeAtOnce: (bytes) => bytes.subarray(writeWhatGoes(descriptor, bytes)),
    get isTerminal() {
      return isOnTerminal();
    },
    // Standard output is data unless it is a terminal; standard error is for people, wherever it goes.
    get isAscii() {
      return isAsciiLocale(self.env) && (descriptor === 2 || isOnTerminal());
    },
    // A terminal that was never told its size says 0.
    get columns() {
      return (isOnTerminal() && nodeStream().columns) || 80;
    },
    get rows() {
      return (isOnTerminal() && nodeStream().rows) || 24;
    },
    get whyLost() {
      return whyLost(self, nodeStream(), descriptor);
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

/** Errors of fsync on file systems that cannot sync. */
const cannotSync = new Set(["EINVAL", "ENOSYS", "ENOTSUP"]);

// Node leaves `isTTY` undefined, against its types, on what is no terminal.
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** For a descriptor of a kind that it cannot write to, Node makes a plain Writable, which drops everything. */
function dropsAll(self: Process, stream: Writable): boolean {
  const { Writable } = self.getBuiltinModule("node:stream");
  return Object.getPrototypeOf(stream) === Writable.prototype;
}

function whyLost(self: Process, stream: Writable, descriptor: number): string | null {
  const closed = "closed or the null device";
  try {
    const target = fstatSync(descriptor);
    if (target.isDirectory()) return "a folder";
    if (isDevNull(target)) return closed;
    if (!target.isFile() && dropsAll(self, stream)) return "of a kind that takes nothing";
    // Writing nothing fails on a descriptor that is only open for reading.
    writeSync(descriptor, Buffer.alloc(0));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // On Windows this error also comes from consoles that can be written to.
    if (code === "EBADF" && self.platform !== "win32")
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

function isInputFolder(): boolean {
  try {
    return fstatSync(0).isDirectory();
  } catch {
    return false;
  }
}

/** Node takes a folder on standard input for an empty file. */
function unreadableFolder(self: Process): Readable {
  const { Readable } = self.getBuiltinModule("node:stream");
  const failure: NodeJS.ErrnoException = new Error("standard input is a folder");
  failure.code = "EISDIR";
  return new Readable({
    read() {
      this.destroy(failure);
    },
  });
}

/** True if a descriptor has the type of a terminal. */
function mayBeTerminal(descriptor: number, platform: NodeJS.Platform): boolean {
  // A console of Windows need not be a character device.
  if (platform === "win32") return true;
  try {
    const target = fstatSync(descriptor);
    return target.isCharacterDevice() && !isDevNull(target);
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
function wholeWrites(self: Process, descriptor: number): Writable {
  const { Writable } = self.getBuiltinModule("node:stream");
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

/** In the place of a stream that drops everything: standard output takes nothing, standard error is not missed. */
function failingWrites(self: Process, descriptor: 1 | 2): Writable {
  const { Writable } = self.getBuiltinModule("node:stream");
  return new Writable({
    write(_chunk, _encoding, done) {
      done(descriptor === 1 ? new Error("it is of a kind that takes nothing") : null);
    },
  });
}

/** How many bytes could be written now, without waiting; 0 also where it fails. */
function writeWhatGoes(descriptor: number, bytes: Buffer): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch {
    // The stream gets the rest: it waits for a slow reader, and reports an error.
  }
  return written;
}

function isDevNull(target: Stats): boolean {
  return target.isCharacterDevice() && target.rdev === statSync(devNull).rdev;
}

function isNullDevice(descriptor: number, platform: NodeJS.Platform): boolean {
  try {
    return isDevNull(fstatSync(descriptor));
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
    // Only Linux has this file. Elsewhere, a null device counts as intended.
    return true;
  }
}

/** True if the locale for characters is POSIX's own; false if none was set. */
function isAsciiLocale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "");
  return locale === "C" || locale === "POSIX";
}
