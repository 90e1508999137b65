// Ends the process by a signal after grantctl has handled it, so that a shell sees how the process ended.
import { constants } from "node:os";
import { exitCodeOfSignal } from "../errors/errors.ts";

type Process = Pick<NodeJS.Process, "exit" | "kill" | "listenerCount" | "on" | "pid">;

/**
 * To the first process of a container the kernel sends no signal that it does not handle, not even its own
 * (pid_namespaces(7)): there these end it as long as nothing else listens to them. Gives back how many listeners that takes.
 */
export function endAlsoAsFirst(self: Process, signals: readonly NodeJS.Signals[]): number {
  if (self.pid !== 1) return 0;
  const end = (signal: NodeJS.Signals): void => {
    if (self.listenerCount(signal) === 1) endBySignal(self, signal);
  };
  for (const signal of signals) self.on(signal, end);
  return 1;
}

/** Ends the process by this signal, whose listeners have to be gone by then. */
export function endBySignal(self: Pick<Process, "exit" | "kill" | "pid">, signal: NodeJS.Signals): void {
  if (self.pid === 1) self.exit(exitCodeOfSignal(constants.signals[signal]));
  try {
    self.kill(self.pid, signal);
  } catch {
    // On Windows a process cannot send SIGBREAK or SIGHUP (Ctrl-Break, a closed window) to itself.
    self.kill(self.pid, "SIGKILL");
  }
}
