// Shows how far the walk of a list is.
import type { Context } from "../context.ts";
import type { Paging } from "../http/pages.ts";
import type { Task } from "../output/progress.ts";

/** The same paging, with its progress shown until the last page came. */
export function watchPages(paging: Paging, { progress }: Context): Paging {
  let task: Task | null = null;
  return {
    ...paging,
    onPage(position, total) {
      task ??= progress.start("page", total);
      task.reach(position, total);
      if (position === total) task.end();
    },
  };
}
