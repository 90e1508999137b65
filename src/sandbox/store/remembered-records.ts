// Remembers records that lists have read, so that a page is not read from the database row by row each time. The rule:
// a record is the same object until its row changes, so that its JSON can be remembered with it.

interface Numbered {
  readonly id: number;
}

/** The most records to remember, which are some megabytes; longer lists are read anew. */
const mostRemembered = 5000;

/** Records that `read` has given for ids. While `isUndecided`, what is read may be undone, and is not remembered. */
export function rememberRecords<Each extends Numbered>(
  read: (ids: readonly number[]) => readonly Each[],
  isUndecided: () => boolean,
) {
  const records = new Map<number, Each>();
  return {
    /** The records with these ids, in the order of the ids; those that are not known are read together. */
    of(ids: readonly number[]): readonly Each[] {
      const missing = ids.filter((id) => !records.has(id));
      const found = new Map(missing.length === 0 ? [] : read(missing).map((record) => [record.id, record]));
      const all = ids.flatMap((id) => records.get(id) ?? found.get(id) ?? []);
      if (isUndecided()) return all;
      if (records.size + found.size > mostRemembered) records.clear();
      for (const [id, record] of found) records.set(id, record);
      return all;
    },
    /** To be called with each change of a row. */
    forget: (id: number) => void records.delete(id),
    /** To be called with a change of many. */
    forgetAll: () => records.clear(),
  };
}
