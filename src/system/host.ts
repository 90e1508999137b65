// The host: process, environment, standard streams, terminal, clock and signals behind one interface.
//
// Only this folder and the keychain helper (a process of its own) use `process`. All other code gets a Host, which tests
// replace.
//
//   environment        as it was at start, without empty variables; secrets are removed from `process.env` before
//                      anything else runs, so that no child process inherits them
//   streams            opened on first use, because opening one costs time that `--version` need not spend
//   stop signals       `onStopSignal` handles them; otherwise the process ends by the signal, after `beforeSignalEnds`
//   terminal           opened for each prompt, independent of the standard streams
import { homedir, hostname, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import { isForeground, ProcessSignals } from "./signals.ts";
import { openInput, openOutput } from "./standard-streams.ts";
import { openTerminal } from "./terminal.ts";
import { writeFullySync } from "./writes.ts";

// Injected by the bundler.
declare const GRANTCTL_VERSION: string;

export const version: string = GRANTCTL_VERSION;

export type Host = ReturnType<typeof createProcessHost>;

/** Removed from `process.env` when the host is created, and never inherited by a child. */
export const secretVariables =
  "GRANTCTL_PASSWORD GRANTCTL_CLIENT_SECRET GRANTCTL_TOKEN GRANTCTL_OTP GRANTCTL_HEADERS".split(" ");

/** The host of a real run. Removes the secrets from the environment of the process. */
export function createProcessHost() {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && value !== "") environment[name] = value;
  }
  for (const name of secretVariables) delete process.env[name];
  const childEnvironment = { ...process.env };
  // Ignored, because certificates are always verified; but Node would still print its warning that they are not.
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  const signals = new ProcessSignals();

  return {
    argv: process.argv.slice(2) as readonly string[],
    /** The environment at start without empty variables, which count as unset. */
    environment: environment as Readonly<Record<string, string>>,
    /** The environment for children: as it was at start, without grantctl's secrets. */
    childEnvironment: childEnvironment as Readonly<Record<string, string>>,
    // Getters, because opening a standard stream costs time that `--version` need not pay.
    get stdin() {
      return openInput();
    },
    get stdout() {
      return openOutput(1);
    },
    get stderr() {
      return openOutput(2);
    },
    /** Opens the controlling terminal, whatever the standard streams are, or null. */
    openTerminal: () => openTerminal(signals),
    /** The command line that starts this program again: executable and arguments. */
    self: [process.execPath, process.argv[1] ?? ""] as readonly [string, ...string[]],
    /** The command line of the keychain helper: executable and arguments. */
    get keychainHelper(): readonly [string, ...string[]] {
      return [process.execPath, fileURLToPath(new URL("keychain-helper.cjs", import.meta.url))];
    },
    platform: process.platform,
    nodeVersion: process.versions.node,
    machine: {
      get hostname() {
        return hostname();
      },
      get username() {
        // Some containers have users without a name.
        return textOrNull(() => userInfo().username) ?? String(process.getuid?.() ?? "unknown");
      },
      /** Null if the platform has no such numbers. */
      userId: process.geteuid?.() ?? null,
      get homeFolder() {
        // Fails for a user without a name, if HOME is not set.
        return textOrNull(homedir) ?? "";
      },
    },
    now: () => Date.now(),
    /** Calls a function after this time; returns a function that cancels it. */
    setTimer(milliseconds: number, call: () => void): () => void {
      const timer = setTimeout(call, milliseconds);
      return (): void => clearTimeout(timer);
    },
    onStopSignal: signals.onStopSignal,
    /** True if this process belongs to the foreground job of its terminal: Ctrl-C then reaches its children as well. */
    isForeground,
    beforeSignalEnds: signals.beforeSignalEnds,
    runtime,
  };
}

function textOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Controls what Node and libraries print to standard error, unredacted, and V8. Changes nothing until a method is called. */
const runtime = {
  /**
   * From now on, an uncaught error ends the process with the text and the exit code that `formatCrash` resolves with. So does
   * an empty event loop, until the returned function is called. Node's warnings, which are for developers, are not printed.
   */
  onCrash(
    formatCrash: (error: unknown) => Promise<{ readonly text: string; readonly exitCode: number }>,
  ): () => void {
    const end = async (error: unknown): Promise<void> => {
      const { text, exitCode } = await formatCrash(error);
      try {
        writeFullySync(2, Buffer.from(text));
      } catch {
        // Standard error is closed: only the exit code can report the crash.
      }
      // Pending requests and timers would keep the process running, although nothing waits for them.
      // oxlint-disable-next-line unicorn/no-process-exit
      process.exit(exitCode);
    };
    process.removeAllListeners("warning");
    const endEarly = (): void => void end(new Error("the event loop is empty, but the run is not finished"));
    process.on("uncaughtException", (error) => void end(error));
    process.on("unhandledRejection", (error) => void end(error));
    process.once("beforeExit", endEarly);
    return () => process.off("beforeExit", endEarly);
  },
  /** Runs a synchronous function while discarding standard error, to which a library may write. */
  withoutStderr<T>(work: () => T): T {
    process.stderr.write = () => true;
    try {
      return work();
    } finally {
      // Deleting the own property restores the method of the class.
      Reflect.deleteProperty(process.stderr, "write");
    }
  },
  /**
   * Sets up V8 for requests; call it before the first connection, and after undici is loaded: with other flags V8 rejects
   * its code cache. The optimiser would take more time for undici's parser, which is WebAssembly, than all of a small list,
   * because Node 20 waits for it at exit. And memory for young objects would grow with a list by 35 MB.
   */
  tuneEngine(): void {
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    setFlagsFromString("--no-wasm-dynamic-tiering");
    setFlagsFromString("--no-wasm-tier-up");
    setFlagsFromString("--semi-space-growth-factor=1");
  },
};
