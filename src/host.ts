// The outside world as grantctl sees it. The only file that reads `process`: everybody else is handed a Host, so
// that tests can arrange one. Keeps one rule: secrets leave the process's environment before anything else runs,
// so that no child ever inherits them.
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { devNull, homedir, hostname, userInfo } from "node:os";
import { Writable, type Readable } from "node:stream";
import { ReadStream, WriteStream } from "node:tty";
import { writeWhollySync } from "./durable-writes.ts";

/** The controlling terminal, opened for questions; `close` gives it back. */
export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  close(): void;
}

export interface OutputTarget {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** Width in columns, for a terminal. */
  readonly columns: number;
  /** Whether everything written is lost: closed, or the null device. A closed descriptor becomes that one. */
  readonly isDiscarded: boolean;
}

export interface Host {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  /** The environment at start, with empty variables left out: an empty value is an unset one. */
  readonly environment: Readonly<Record<string, string>>;
  /** What children get: the environment without grantctl's secrets. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  readonly stdin: { readonly stream: Readable; readonly isTerminal: boolean };
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
  /** Opens the controlling terminal, whatever the standard streams are; null where there is none. */
  openTerminal(): Terminal | null;
  /** How to start this very program again: executable and arguments. */
  readonly self: readonly [string, ...string[]];
  readonly platform: NodeJS.Platform;
  /** As in `20.20.2`. */
  readonly nodeVersion: string;
  readonly machine: { readonly hostname: string; readonly username: string; readonly homeFolder: string };
  readonly processes: {
    /** This process's id. */
    readonly pid: number;
    /** Whether a process with this id runs, whoever owns it. */
    isRunning(pid: number): boolean;
  };
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Has look-ups of names given up within about so many seconds, where the C library takes such a wish (glibc): one
   * that is under way cannot be called off, and no process ends before it.
   */
  limitNameLookups(seconds: number): void;
  /** Calls back for each signal that asks the process to end; returns a function that stops it. */
  onStopSignal(handle: (signal: NodeJS.Signals) => void): () => void;
}

/** Never inherited by a child, and gone from `process.env` once the host is made. */
const secretVariables = ["GRANTCTL_PASSWORD", "GRANTCTL_CLIENT_SECRET", "GRANTCTL_TOKEN", "GRANTCTL_OTP"];

const stopSignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** The host of a real run. Takes the secrets out of the process's environment. */
export function createProcessHost(): Host {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && value !== "") environment[name] = value;
  }
  for (const name of secretVariables) delete process.env[name];
  // It has no effect here; left in place, Node would claim on standard error that certificates go unverified.
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  const childEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !secretVariables.includes(name)),
  );

  return {
    argv: process.argv.slice(2),
    environment,
    childEnvironment,
    // Getters, because opening a standard stream costs time that `--version` need not pay.
    get stdin() {
      return { stream: process.stdin, isTerminal: isTerminal(process.stdin) };
    },
    get stdout() {
      return outputTarget(process.stdout, 1);
    },
    get stderr() {
      return outputTarget(process.stderr, 2);
    },
    openTerminal,
    self: [process.execPath, process.argv[1] ?? ""],
    platform: process.platform,
    nodeVersion: process.versions.node,
    get machine() {
      return { hostname: hostname(), username: userInfo().username, homeFolder: homedir() };
    },
    processes: { pid: process.pid, isRunning },
    now: () => Date.now(),
    limitNameLookups(seconds) {
      // Its own limit is twice five seconds.
      if (seconds >= 10 || environment["RES_OPTIONS"] !== undefined) return;
      const attempts = seconds < 2 ? 1 : 2;
      const timeout = Math.max(1, Math.floor(seconds / attempts));
      process.env["RES_OPTIONS"] = `timeout:${timeout} attempts:${attempts}`;
    },
    onStopSignal(handle) {
      for (const signal of stopSignals) process.on(signal, handle);
      return () => {
        for (const signal of stopSignals) process.off(signal, handle);
      };
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function outputTarget(stream: NodeJS.WriteStream, descriptor: number): OutputTarget {
  return {
    stream: isPlainFile(descriptor) ? wholeWrites(descriptor) : stream,
    isTerminal: isTerminal(stream),
    // A terminal that was never told its size says 0.
    columns: (isTerminal(stream) && stream.columns) || 80,
    get isDiscarded() {
      return isNullDevice(descriptor);
    },
  };
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

function isNullDevice(descriptor: number): boolean {
  try {
    const target = fstatSync(descriptor);
    return target.isCharacterDevice() && target.rdev === statSync(devNull).rdev;
  } catch {
    return process.platform !== "win32";
  }
}

// Node leaves `isTTY` undefined, against its types, on what is no terminal.
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

function openTerminal(): Terminal | null {
  const [inputPath, outputPath] =
    process.platform === "win32" ? ["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] : ["/dev/tty", "/dev/tty"];
  let inputDescriptor: number;
  try {
    inputDescriptor = openSync(inputPath, "r+");
  } catch {
    return null;
  }
  try {
    const input = new ReadStream(inputDescriptor);
    const output = new WriteStream(openSync(outputPath, "r+"));
    // Node restores a terminal on exit and on SIGINT and SIGTERM, but not on hang-up and quit.
    const restore = (signal: NodeJS.Signals): void => {
      close();
      process.kill(process.pid, signal);
    };
    const close = (): void => {
      for (const signal of stopSignals) process.off(signal, restore);
      if (input.isRaw) input.setRawMode(false);
      input.destroy();
      output.destroy();
    };
    for (const signal of stopSignals) process.once(signal, restore);
    return { input, output, close };
  } catch {
    closeSync(inputDescriptor);
    return null;
  }
}
