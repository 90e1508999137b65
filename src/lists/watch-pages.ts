// What every walk of a list does beside: shows how far it is, warns where it ended before its time, and keeps a long one
// small.
import type { Context } from "../run/context.ts";
import type { Paging } from "../http/pages.ts";
import type { Task } from "../output/progress.ts";

/** Each page is garbage when it is written: from this page on, more memory for it gains nothing. */
const fullyGrownAt = 24;

/** The same paging, with its progress shown until the last page came, and a warning where pages stayed away. */
export function watchPages(paging: Paging, { host, progress, notices }: Context): Paging {
  let task: Task | null = null;
  return {
    ...paging,
    onPage(position, total) {
      if (position === fullyGrownAt) host.runtime.stopGrowingYoungMemory();
      task ??= progress.start("page", total);
      task.reach(position, total);
      if (position === total) task.end();
    },
    onEarlyEnd(announced, given) {
      notices.warn(
        `the service announced ${announced} pages and gave ${given}; items may have gone meanwhile`,
      );
    },
  };
}
