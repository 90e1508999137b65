// What happens beside the reading of every list: progress is shown, a list that ends early is warned about, and memory
// stays small.
import type { Context } from "../run/context.ts";
import type { Paging } from "../http/pages.ts";
import type { Task } from "../output/progress.ts";

/** From this page on, Node's memory for new objects stops growing: each page is garbage once it is written. */
const fullyGrownAt = 24;

/** From this page on, where items go on as they came, there is time to keep memory small. */
const longAt = 2;

/**
 * The same paging, with its progress shown until the last page came, and a warning where announced pages did not come.
 */
export function watchPages(paging: Paging, { host, progress, notices }: Context): Paging {
  let task: Task | null = null;
  const isPassedOn = paging.fields?.length === 0;
  return {
    ...paging,
    onPage(position, total) {
      if (position === longAt && isPassedOn) host.runtime.growMemoryLeast();
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
