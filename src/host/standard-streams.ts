// The standard streams: what they really are (terminal, file, folder, null device), and whole writes where Node's own
// streams would take a cut one for a whole one. Is handed the process by the host.
import { constants, fstatSync, readFileSync, statSync } from "node:fs";
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
  /** Whether everything written is lost: closed, or the null device. A closed descriptor becomes that one. */
  readonly isDiscarded: boolean;
  /** Whether nobody opened it, as far as that can be told from a null device that was opened on purpose. */
  readonly isClosed: boolean;
}

/** What is used of Node's own `process`. */
type Process = Pick<NodeJS.Process, "platform" | "stdin">;

/** Standard input. Reading it fails where it is a folder. */
export function openInput(self: Process): InputSource {
  return {
    stream: isFolder(0) ? unreadableFolder() : self.stdin,
    isTerminal: isTerminal(self.stdin),
  };
}

/** Standard output or standard error, as Node's stream and as the descriptor below it. */
export function openOutput(self: Process, stream: NodeJS.WriteStream, descriptor: number): OutputTarget {
  return {
    stream: isPlainFile(descriptor) ? wholeWrites(descriptor) : stream,
    isTerminal: isTerminal(stream),
    // A terminal that was never told its size says 0.
    get columns() {
      return (isTerminal(stream) && stream.columns) || 80;
    },
    get isDiscarded() {
      return isNullDevice(descriptor, self.platform);
    },
    get isClosed() {
      return isNullDevice(descriptor, self.platform) && !isForWritingAlone(descriptor);
    },
  };
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

/** Node opens what is closed for reading and writing; whoever sends output to the null device, for writing alone. */
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

// Node leaves `isTTY` undefined, against its types, on what is no terminal.
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
