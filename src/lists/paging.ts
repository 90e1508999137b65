// Paging: the reading of whole lists, and the feedback while a list is read.
//
// A list shows progress. An empty list has a note on a terminal only, because a table without rows looks as if nothing
// had been done.
import type { Paging } from "../http/pages.ts";
import type { Task } from "../output/progress.ts";
import type { Context } from "../run/context.ts";

function wholeList(concurrency: number): Paging {
  return { limit: null, concurrency };
}

/** A complete list, with progress. */
export function watchWholeList(context: Context, concurrency = context.options.concurrency): Paging {
  return watchPages(wholeList(concurrency), context);
}

/** Adds progress until the last page. */
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

/** Prints `text` as a note if the empty list was a table on a terminal. */
export function noteEmptyList(
  text: string,
  { printer, stdout, notices }: Pick<Context, "printer" | "stdout" | "notices">,
): void {
  if (printer.format === "table" && stdout.isTerminal) notices.note(text);
}
