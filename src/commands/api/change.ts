// What a request that may change something owes its user: a plan instead of it with --dry-run, and the truth about it
// where its answer cannot be printed.
import type { Context } from "../../context.ts";
import { delivering } from "../../output/printer.ts";

/** Tells what would be sent, where this run changes nothing. Whether it did. */
export async function planOnly(subject: string, context: Context): Promise<boolean> {
  if (context.options.dryRun !== true) return false;
  if (context.printer.isJson && !context.printer.hasJq)
    await context.printer.printObject({ status: "would-send" });
  context.notices.note(`would send ${subject}`);
  return true;
}

/** Prints the answer; after a change a failure is not one where nothing happened. */
export async function printOutcome(isWrite: boolean, print: () => Promise<void>): Promise<void> {
  if (!isWrite) await print();
  else await delivering(print, "the service did it, but its answer did not reach standard output");
}
