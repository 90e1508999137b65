// The few requests that are under way at a time, of the very many of a run. A Set would keep requests alive long after
// their end, with their answers: V8 makes its tables anew every few entries, and an old table, which refers to the next
// one, lives until the next full garbage collection.

export interface UnderWay<T> extends Iterable<T> {
  add(request: T): void;
  /** Does nothing for a request that is not under way. */
  remove(request: T): void;
}

/** Keeps the requests that are under way; none at first. */
export function createUnderWay<T>(): UnderWay<T> {
  const requests: T[] = [];
  return {
    add(request) {
      requests.push(request);
    },
    remove(request) {
      const index = requests.indexOf(request);
      if (index !== -1) requests.splice(index, 1);
    },
    // A copy, because what is done to a request may end it.
    [Symbol.iterator]: () => [...requests].values(),
  };
}
