// A list of many short rows, written some at a time: each write is a call of the operating system, and a job makes a
// row every few microseconds.
import type { ListWriter } from "./list-writers.ts";

/** Nobody sees a row come later by so much. */
const gatherForMs = 10;
/** More are not held back: then the output is slower than the job, which waits for it. */
const mostHeld = 256;

/** Rows go out together with those that come shortly after. A failure to write is thrown by what is called next. */
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
    // It is thrown to whoever comes next.
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
