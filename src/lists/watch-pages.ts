// Shows how far the walk of a list is, and warns of one that ended before its time.
import type { Context } from "../run/context.ts";
import type { Paging } from "../http/pages.ts";
import type { Task } from "../output/progress.ts";

/** The same paging, with its progress shown until the last page came, and a warning where pages stayed away. */
export function watchPages(paging: Paging, { progress, notices }: Context): Paging {
  let task: Task | null = null;
  return {
    ...paging,
    onPage(position, total) {
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
