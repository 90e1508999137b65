// What a person is told of a list with nothing in it, because a table without rows looks as if nothing had been done.
// Scripts are told nothing: for them an empty list is a list.
import type { Context } from "../run/context.ts";

/** Notes `text` where the empty list was a table on a terminal. */
export function noteEmptyList(
  text: string,
  { printer, stdout, notices }: Pick<Context, "printer" | "stdout" | "notices">,
): void {
  if (printer.format === "table" && stdout.isTerminal) notices.note(text);
}
