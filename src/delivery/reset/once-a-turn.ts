// Work that is done once for everything that comes within one turn of the event loop: the answers of requests that
// shared a sync come together, and so do their values.

/**
 * A function that has the work done at the end of the turn, after what is under way; it resolves when that is done.
 * Once the work has failed it is not done any more, and every call rejects with that failure.
 */
export function onceATurn(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let isAwaited = false;
  return () => {
    if (isAwaited) return last;
    isAwaited = true;
    last = last.then(endOfTurn).then(() => {
      isAwaited = false;
      return work();
    });
    // Whoever waits for it gets the failure; nobody has to.
    last.catch(() => undefined);
    return last;
  };
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
