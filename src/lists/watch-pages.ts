// Accompanies the reading of every list: shows progress, warns of a list that ends early, and keeps memory small.
import type { Context } from "../run/context.ts";
import type { Paging } from "../http/pages.ts";
import { wholeList } from "./paging-options.ts";
import type { Task } from "../output/progress.ts";

/** From this page on, memory grows slowly, for lists whose items are written unchanged. */
const longAt = 2;

/**
 * From this page on, the code is as quick as it needs to be, and each written page is garbage: memory comes first. Not
 * earlier, because setting the switches for it keeps Node 24 from its work for some ten milliseconds.
 */
const veryLongAt = 120;

/** A list from its first item to its last, watched. */
export function watchWholeList(context: Context, concurrency = context.options.concurrency): Paging {
  return watchPages(wholeList(concurrency), context);
}

/**
 * The same paging, with progress shown until the last page, and a warning where fewer pages came than were announced.
 */
export function watchPages(paging: Paging, { host, progress, notices }: Context): Paging {
  let task: Task | null = null;
  const isPassedOn = paging.fields?.length === 0;
  return {
    ...paging,
    onPage(position, total) {
      if (position === longAt && isPassedOn) host.runtime.growMemorySlowly();
      if (position === veryLongAt) host.runtime.saveMemory();
      task ??= progress.start("page", total);
      task.reach(position, total);
      if (position === total) task.end();
    },
    onEarlyEnd(announced, given) {
      notices.warn(
        `the service announced ${announced} pages and gave ${given}; items may have been deleted meanwhile`,
      );
    },
  };
}
