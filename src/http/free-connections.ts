// The turns of the event loop that undici takes with a connection. After an answer it waits one turn before it uses the
// connection again, and another one before it writes the next request, to see whether the server closes it.

/** Resolves when the connection of an answer that has just come can be used again. */
export function untilFree(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when requests that were just made are written, as far as their connections are open. */
export async function untilWritten(): Promise<void> {
  await untilFree();
  await untilFree();
}
