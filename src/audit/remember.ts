// Work that is done once for what comes again: a hundred thousand items have few applications, sets of scopes and ages.

/** After so many different keys, further ones are not kept: equal ones have become rare by then. */
const mostKept = 10_000;

/** The same function, which gives back what it made of a key before. */
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
