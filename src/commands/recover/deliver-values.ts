// `grantctl recover show --to-command`: runs a command for each kept token, and deletes a token from the journal as
// soon as the command has accepted it.
import { openValueCommand } from "../../delivery/value-command.ts";
import { readMadeToken, newValueOf } from "../../delivery/new-value.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { hasSomethingToTell } from "../../journal/entries.ts";
import { keptEntries, type Leftover } from "../../journal/leftover.ts";
import type { Context } from "../../run/context.ts";
import { counted } from "../../errors/words.ts";

/** Delivers each token. Throws an undelivered failure for those that the command refused, which stay in the journal. */
export async function deliverValues(leftover: Leftover, toCommand: string, context: Context): Promise<void> {
  const receiver = await openValueCommand(toCommand, undefined, context);
  if (context.options.dryRun === true) {
    const { length } = keptEntries(leftover);
    context.notices.note(`would deliver ${counted(length, "value")}`);
    return;
  }
  // A rotation has further steps, which --resume does.
  const isRotation = leftover.contents.head.operation === "rotate";
  const taken = isRotation
    ? ({ state: "answered", step: "delivered" } as const)
    : ({ state: "done" } as const);
  const journals = await context.journals();
  const { journal } = await journals.reopen(leftover.path);
  let first: Failure | null = null;
  let delivered = 0;
  let open = 0;
  try {
    for (const { item, body } of keptEntries(leftover)) {
      const kept = await readMadeToken(body);
      if (kept === null) continue;
      context.redactor.add(kept.token);
      try {
        await receiver.write([{ text: "", value: newValueOf(kept) }]);
        // If this write fails, the token is only delivered once more.
        await journal.mark({ item, ...taken }).catch(() => undefined);
        delivered += 1;
      } catch (error) {
        if (!isFailure(error, "undelivered")) throw error;
        first ??= error;
        open += 1;
      }
    }
  } finally {
    const items = new Map(
      [...leftover.contents.items.keys()]
        .flatMap((item) => journal.latest(item) ?? [])
        .map((entry) => [entry.item, entry]),
    );
    if (hasSomethingToTell({ ...leftover.contents, items })) await journal.close();
    else await journal.remove();
  }
  if (first !== null) {
    const totals = open + delivered === 1 ? "" : `; ${delivered} delivered, ${open} kept`;
    throw new Failure("undelivered", `${first.marked}${totals}`, {
      hint: commandLine("recover", "show", leftover.id, ...receiver.words),
    });
  }
  context.notices.note(`delivered and forgotten: ${counted(delivered, "value")}`);
}
