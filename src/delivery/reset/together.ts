// Reads what comes one by one in groups of what comes together: the answers of requests that shared a sync come within
// one turn of the event loop, and so do their values.

/**
 * The items in their order: with each those that come within the same turn, and those that came while the group before
 * was dealt with; never more than `most`.
 */
export async function* together<Each>(
  source: AsyncIterable<Each>,
  most: number,
): AsyncGenerator<readonly Each[], void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const take = (): Promise<IteratorResult<Each, unknown>> => {
    const taken = iterator.next();
    // Whoever awaits it gets the failure; nobody has to.
    taken.catch(() => undefined);
    return taken;
  };
  try {
    for (let next = take(); ;) {
      const first = await next;
      if (first.done === true) return;
      const group = [first.value];
      next = take();
      const turn = endOfTurn();
      while (group.length < most) {
        // A failure waits until the group before it is dealt with.
        const more = await Promise.race([next.catch(() => null), turn]);
        if (more === null || more.done === true) break;
        group.push(more.value);
        next = take();
      }
      yield group;
    }
  } finally {
    await iterator.return?.();
  }
}

function endOfTurn(): Promise<null> {
  return new Promise((resolve) => {
    setImmediate(() => {
      resolve(null);
    });
  });
}
