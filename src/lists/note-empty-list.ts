// The note for an empty list: a table without rows looks as if nothing had been done. Only a person on a terminal gets
// it; scripts read an empty list as it is.
import type { Context } from "../run/context.ts";

/** Prints `text` as a note where the empty list was a table on a terminal. */
export function noteEmptyList(
  text: string,
  { printer, stdout, notices }: Pick<Context, "printer" | "stdout" | "notices">,
): void {
  if (printer.format === "table" && stdout.isTerminal) notices.note(text);
}
