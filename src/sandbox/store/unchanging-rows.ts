// Remembers rows that never change and are never deleted: accounts and applications. They are few, and every request
// needs one or two.

/**
 * `find`, with rows that were found remembered. A row that was not found is searched again, because it may be added.
 */
export function rememberFound<Key extends string | number, Row>(
  find: (key: Key) => Row | undefined,
): (key: Key) => Row | undefined {
  const found = new Map<Key, Row>();
  return (key) => {
    const known = found.get(key);
    if (known !== undefined) return known;
    const row = find(key);
    if (row !== undefined) found.set(key, row);
    return row;
  };
}
