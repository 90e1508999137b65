// Rows that are read once, because they never change and never go away: accounts and applications. There are few of
// them, and every request asks for one or two.

/** The same search, which remembers what it found; what was not found may come later, so that is asked for anew. */
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
