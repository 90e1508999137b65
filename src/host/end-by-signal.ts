// Ends the process by a signal after grantctl has handled it, so that a shell sees how the process ended.

/** Ends the process by this signal, whose listeners have to be gone by then. */
export function endBySignal(self: Pick<NodeJS.Process, "kill" | "pid">, signal: NodeJS.Signals): void {
  try {
    self.kill(self.pid, signal);
  } catch {
    // On Windows a process cannot send SIGBREAK or SIGHUP (Ctrl-Break, a closed window) to itself.
    self.kill(self.pid, "SIGKILL");
  }
}
