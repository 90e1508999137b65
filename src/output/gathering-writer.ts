// Writes the rows of a list in groups: each write is a call of the operating system, and a fast job makes a row every
// few microseconds.
import type { ListWriter } from "./list-writers.ts";

/** How long a row may wait for others, too short to be seen. */
const gatherForMs = 10;
/** The most rows that may wait; then the output is slower than the job, and the job has to wait for it. */
const mostHeld = 256;

/** Writes rows together with those that come shortly after. A failure to write is thrown by the next call. */
export function gatherRows<T>(list: ListWriter<T>): ListWriter<T> {
  let held: T[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  const write = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const rows = held;
    held = [];
    writing = writing.then(() => (rows.length === 0 ? undefined : list.add(rows)));
    // The next call throws it.
    writing.catch(() => {
      hasFailed = true;
    });
    return writing;
  };

  return {
    async add(rows) {
      held.push(...rows);
      if (hasFailed || held.length >= mostHeld) await write();
      else timer ??= setTimeout(() => void write(), gatherForMs);
    },
    async end() {
      await write();
      await list.end();
    },
  };
}
