// Remembers results: a hundred thousand items have few different applications, sets of scopes and ages.

/** With this many different keys, further ones are not kept: repetitions have become rare by then. */
const mostKept = 10_000;

/** Wraps a function so that it remembers its results. */
export function remember<Key, Value extends object | string | boolean>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const found = made.get(key);
    if (found !== undefined) return found;
    const value = make(key);
    if (made.size < mostKept) made.set(key, value);
    return value;
  };
}
