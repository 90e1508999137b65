// The outside world as grantctl sees it. The only file that reads `process`: everybody else is handed a Host, so
// that tests can arrange one. Keeps one rule: secrets leave the process's environment before anything else runs,
// so that no child ever inherits them.
import { fstatSync, statSync } from "node:fs";
import { devNull, homedir, hostname, userInfo } from "node:os";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { writeWhollySync } from "../files/whole-writes.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export interface OutputTarget {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** Width in columns at the moment, for a terminal. */
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
  /** How to start the keychain helper: executable and arguments. */
  readonly keychainHelper: readonly [string, ...string[]];
  readonly platform: NodeJS.Platform;
  /** As in `20.20.2`. */
  readonly nodeVersion: string;
  readonly machine: {
    readonly hostname: string;
    readonly username: string;
    /** Null where the platform has no such numbers. */
    readonly userId: number | null;
    readonly homeFolder: string;
  };
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
  /**
   * Calls back just before such a signal ends the process, which it then does; one that somebody else hears ends
   * nothing. Returns a function that stops it.
   */
  beforeSignalEnds(handle: () => void): () => void;
  readonly runtime: Runtime;
}

/** What Node does on its own around the program, which would otherwise be said past everything here. */
export interface Runtime {
  /** The switches that Node was started with, those in `NODE_OPTIONS` apart. */
  readonly switches: readonly string[];
  /** Whether a debugger can connect to this process. */
  isInspected(): Promise<boolean>;
  /**
   * From now on an error that nobody catches, and an end of all work before `finish` is called, end the process with
   * the text and the exit code that come back. Returns `finish`.
   */
  onCrash(tell: (error: unknown) => { readonly text: string; readonly exitCode: number }): () => void;
  /** From now on Node's own warnings come here and are not printed. */
  onWarning(handle: (warning: Error) => void): void;
  /** Does work that waits for nothing; what a library writes to standard error meanwhile, past every stream, is dropped. */
  withoutStderr<T>(work: () => T): T;
}

/** Never inherited by a child, and gone from `process.env` once the host is made. */
export const secretVariables = [
  "GRANTCTL_PASSWORD",
  "GRANTCTL_CLIENT_SECRET",
  "GRANTCTL_TOKEN",
  "GRANTCTL_OTP",
];

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
  // Node would open a port for a debugger; a handler, whatever it does, takes that meaning away.
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
  const childEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !secretVariables.includes(name)),
  );

  return {
    argv: process.argv.slice(2),
    environment,
    childEnvironment,
    // Getters, because opening a standard stream costs time that `--version` need not pay.
    get stdin() {
      return {
        stream: isFolder(0) ? unreadableFolder() : process.stdin,
        isTerminal: isTerminal(process.stdin),
      };
    },
    get stdout() {
      return outputTarget(process.stdout, 1);
    },
    get stderr() {
      return outputTarget(process.stderr, 2);
    },
    openTerminal: () => openTerminal(process, stopSignals),
    self: [process.execPath, process.argv[1] ?? ""],
    get keychainHelper(): readonly [string, string] {
      return [process.execPath, fileURLToPath(new URL("keychain-helper.cjs", import.meta.url))];
    },
    platform: process.platform,
    nodeVersion: process.versions.node,
    machine: {
      get hostname() {
        return hostname();
      },
      get username() {
        return usernameOf();
      },
      userId: process.getuid?.() ?? null,
      get homeFolder() {
        return homedir();
      },
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
    beforeSignalEnds(handle) {
      const end = (signal: NodeJS.Signals): void => {
        if (process.listenerCount(signal) > 1) return;
        handle();
        stop();
        process.kill(process.pid, signal);
      };
      const stop = (): void => {
        for (const signal of stopSignals) process.off(signal, end);
      };
      // First of all, to see the others before they leave.
      for (const signal of stopSignals) process.prependListener(signal, end);
      return stop;
    },
    runtime: {
      switches: process.execArgv,
      async isInspected() {
        return (await import("node:inspector")).url() !== undefined;
      },
      onCrash,
      onWarning(handle) {
        process.removeAllListeners("warning");
        process.on("warning", handle);
      },
      withoutStderr(work) {
        process.stderr.write = () => true;
        try {
          return work();
        } finally {
          // What it has from its kind is in sight again.
          Reflect.deleteProperty(process.stderr, "write");
        }
      },
    },
  };
}

/** A container may run as a user that has no name. */
function usernameOf(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

function onCrash(tell: (error: unknown) => { readonly text: string; readonly exitCode: number }): () => void {
  const end = (error: unknown): void => {
    const { text, exitCode } = tell(error);
    try {
      writeWhollySync(2, Buffer.from(text));
    } catch {
      // Nobody is there to read it; the code says it.
    }
    // What is still on its way would keep the process alive, and nobody knows any more what it is for.
    // oxlint-disable-next-line unicorn/no-process-exit
    process.exit(exitCode);
  };
  const endEarly = (): void => {
    end(new Error("nothing is left to wait for, and the work is not done"));
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
  process.once("beforeExit", endEarly);
  return () => process.off("beforeExit", endEarly);
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
    get columns() {
      return (isTerminal(stream) && stream.columns) || 80;
    },
    get isDiscarded() {
      return isNullDevice(descriptor);
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
