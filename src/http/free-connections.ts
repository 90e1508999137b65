// When undici can use a connection again: it first sees for two turns of the event loop whether the server closes it.

/** Resolves after these two turns, in which new connections are opened, too. */
export async function untilFree(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
