// When undici can use a connection again: it first sees for two turns of the event loop whether the server closes it.

/** Resolves after these two turns, in which new connections are opened, too. */
export function untilFree(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
