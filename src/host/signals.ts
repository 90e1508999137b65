// Signals: ends the process by a signal, and detects which signals to expect.
//
// After grantctl has handled a stop signal, it sends the signal to itself, so that a shell sees how the process ended.
//
// A process that is to survive a hang-up (SIGHUP), as after `nohup` or `trap '' HUP`, is started with SIGHUP ignored,
// but Node resets all signals to their defaults before it runs our code, so /proc/self/status no longer shows it. These
// signs remain:
//
//   trap '' HUP; grantctl …   the parent still ignores SIGHUP                                     Linux
//   nohup grantctl …          `_` in the environment names nohup (bash, zsh, ksh)                 everywhere
//   nohup grantctl …          nohup replaced a terminal: as standard input by a /dev/null that     Linux
//                             cannot be read, as standard output by the file nohup.out
//
// A process in the foreground job of a terminal receives the signals of its keys together with its children.
import { readFileSync, readlinkSync, closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { basename } from "node:path";
import { exitCodeOfSignal } from "../errors/errors.ts";

/**
 * Makes these signals end the first process of a container, unless something else handles them: the kernel delivers no
 * unhandled signal to it, not even its own (pid_namespaces(7)). Returns the number of listeners added per signal.
 */
export function endEvenAsFirstProcess(signals: readonly NodeJS.Signals[]): number {
  if (process.pid !== 1) return 0;
  for (const signal of signals) process.on(signal, endUnlessHandled);
  return 1;
}

function endUnlessHandled(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) endBySignal(signal);
}

/** Ends the process by this signal. The caller must have removed its listeners. */
export function endBySignal(signal: NodeJS.Signals): void {
  // oxlint-disable-next-line unicorn/no-process-exit -- no signal ends this one
  if (process.pid === 1) process.exit(exitCodeOfSignal(constants.signals[signal]));
  try {
    process.kill(process.pid, signal);
  } catch {
    // On Windows a process cannot send SIGBREAK or SIGHUP (Ctrl-Break, a closed window) to itself.
    process.kill(process.pid, "SIGKILL");
  }
}

/** True if this process was started to survive the closing of its terminal. */
export function survivesHangUp(): boolean {
  const { env, platform, ppid } = process;
  if (platform === "win32") return false;
  if (basename(env["_"] ?? "") === "nohup") return true;
  if (platform !== "linux") return false;
  if (ignoresHangUp(readTextOrEmpty(`/proc/${ppid}/status`))) return true;
  if (descriptorTarget(0) === "/dev/null" && descriptorAccess(0) === writeOnly) return true;
  return basename(descriptorTarget(1)) === "nohup.out";
}

/** True if Linux reports in the text of `/proc/PID/status` that the process ignores SIGHUP, which is signal 1. */
export function ignoresHangUp(status: string): boolean {
  return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(status);
}

const writeOnly = 1;

/** The access mode of a descriptor: 0 for reading, 1 for writing, 2 for both. */
function descriptorAccess(descriptor: number): number {
  const [, flags = "0"] =
    /^flags:\s*([0-7]+)/m.exec(readTextOrEmpty(`/proc/self/fdinfo/${descriptor}`)) ?? [];
  return Number.parseInt(flags, 8) % 4;
}

/** The path behind a descriptor, or an empty text. */
function descriptorTarget(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

/** The text of a file, or an empty text if it cannot be read. */
function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** True if this process belongs to the foreground job of its terminal or, if that is unknown, has a terminal at all. */
export function isForeground(): boolean {
  return isForegroundStat(readTextOrEmpty("/proc/self/stat")) ?? hasTerminal();
}

/** Reads the same from the text of `/proc/self/stat`; null if it has no information. */
export function isForegroundStat(text: string): boolean | null {
  // The name in parentheses may contain anything. It is followed by state, parent, group, session, terminal, and the
  // terminal's foreground group.
  const [, , group, , terminal, groupInFront] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // 0 means no terminal; gVisor reports it for every process.
  return terminal === undefined || terminal === "0" ? null : group === groupInFront;
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
