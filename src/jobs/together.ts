// Groups the items of an async iterable that arrive at the same time: the answers of requests that shared a sync arrive
// within one turn of the event loop, and their tokens can be written with one sync as well.

/**
 * The items in order, in groups of at most `most`: those that arrive within one turn of the event loop, and those that
 * arrived while the previous group was handled.
 */
export async function* together<Each>(
  source: AsyncIterable<Each>,
  most: number,
): AsyncGenerator<readonly Each[], void, undefined> {
  if (most === 1) {
    for await (const each of source) yield [each];
    return;
  }
  const iterator = source[Symbol.asyncIterator]();
  const take = (): Promise<IteratorResult<Each, unknown>> => {
    const taken = iterator.next();
    // An `await` below throws the failure; without one, it must not count as unhandled.
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
        // A failure is thrown after the group before it.
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
