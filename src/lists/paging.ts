// Paging: the reading of whole lists, and the feedback while a list is read.
//
// A list shows progress. On a terminal, a table ends with its count, because without rows it looks as if nothing had been done.
import type { Paging } from "../http/pages.ts";
import type { Context } from "../run/context.ts";

/** How a list is read, with progress until the last page; a whole list without a limit. */
export function watchPages({ options, progress }: Context, limit: number | null = null): Paging {
  let task: ReturnType<typeof progress.start> | null = null;
  return {
    limit,
    concurrency: options.concurrency,
    onPage(position, total) {
      task ??= progress.start("page", total);
      task.reach(position, total);
      if (position === total) task.end();
    },
  };
}

/** Prints a note below a table on a terminal. */
export function noteForPerson(
  text: string,
  { printer, stdout, notices }: Pick<Context, "printer" | "stdout" | "notices">,
): void {
  if (printer.format === "table" && stdout.isTerminal) notices.note(text);
}
