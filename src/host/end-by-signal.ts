// The end that a signal would have brought, had nobody listened.

/** Ends the process by a signal that nobody listens to any more. */
export function endBySignal(self: Pick<NodeJS.Process, "kill" | "pid">, signal: NodeJS.Signals): void {
  try {
    self.kill(self.pid, signal);
  } catch {
    // Windows sends neither Ctrl-Break nor the closing of the window from within.
    self.kill(self.pid, "SIGKILL");
  }
}
