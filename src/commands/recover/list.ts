// `grantctl recover list`: what earlier runs left, one a row.
import { addExamples, addNote, printsFields, type Context, type Define } from "../../command-line/command.ts";
import { nameTen, stampOf, withCommas } from "../../errors/words.ts";
import type { Contents } from "../../jobs/journal.ts";
import { isOver, leftOf, pendingLastEights, type Left } from "../../jobs/leftover.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { column, type Presentation } from "../../output/presentation.ts";

export const define: Define = (command, act) => {
  command
    .description("List undelivered token values, requests with an unknown result, and unfinished jobs.")
    .action(act(run, { isPaged: true, announces: false }));
  addNote(command, "Left", {
    value: "A new token was saved but not delivered",
    token: "The token of an interrupted `authorization run` may still exist",
    unknown: "A request was sent, but no complete response arrived, or the server failed (5xx)",
    unfinished: "A job has items that are not done",
    damaged: "A part of the record cannot be read",
    running: "A run, or the command of `authorization run`, has not ended",
    "other-version": "Another version of grantctl made the record",
  });
  printsFields(command, leftoverPresentation.fields);
  addExamples(command, ["grantctl recover list", "grantctl recover list --json id,left"]);
};

async function run(context: Context): Promise<void> {
  const { printer, stdout, notices } = context;
  const found = await findLeftovers(context);
  const rows = found.map(({ row }) => row);
  const ends = new Map(found.map(({ row, pending }) => [row.id, pending]));
  // Not a field: a run may have left any number of them.
  const last = column<LeftoverRow>("PENDING", "id", { priority: 7, text: ({ id }) => ends.get(id) ?? "" });
  const columns = [...leftoverPresentation.columns, last];
  const presentation = { ...leftoverPresentation, columns };
  const empty = "nothing is left of earlier runs";
  await printUnlessPipeClosed(() => printer.printList(rows, presentation, empty));
  if (rows.length > 0 && stdout.isTerminal)
    notices.note("Run `grantctl recover show ID` to see what is kept, and the command that goes on.");
}

type LeftoverRow = ReturnType<typeof leftoverRow>;

function leftoverRow(id: string, left: Left | "running", { head }: Contents) {
  return {
    id,
    left,
    operation: head?.operation ?? null,
    server: head?.server ?? null,
    created_at: head?.created_at ?? null,
    items: head?.keys.length ?? null,
  };
}

const leftoverPresentation: Presentation<LeftoverRow> = {
  fields: "id left operation server created_at items".split(" "),
  columns: [
    column("ID", "id", { isWhole: true }),
    column("LEFT", "left", { isWhole: true, priority: 2 }),
    column("OPERATION", "operation", { isWhole: true, priority: 3 }),
    column("ITEMS", "items", { isWhole: true, priority: 4 }),
    column("CREATED", "created_at", { priority: 5 }),
    column("SERVER", "server", { priority: 6 }),
  ],
};

/** The last eights of the tokens that are left, after the number of items that are left if it has no last eight of some. */
function pendingText(contents: Contents): string {
  const left = contents.head?.keys.filter((key) => !isOver(contents.entries.get(key))).length ?? 0;
  const ends = pendingLastEights(contents);
  const isCounted = contents.fault === null && left > ends.length;
  return nameTen([...(isCounted ? [`${withCommas(left)} not done`] : []), ...ends]);
}

const beginningMs = 60_000;

/**
 * The rows of all records with something left, oldest first, and what is pending. Deletes those in which
 * nothing is: their runs were killed just before they deleted them, or before they sent anything.
 */
async function findLeftovers(context: Context) {
  const records = await context.records();
  const found: { readonly row: LeftoverRow; readonly pending: string }[] = [];
  for (const { id, contents } of await records.all()) {
    // Its run may have written more since it was read. A file that cannot be opened stays as it is.
    const journal = await records.tryOpen(id).catch(() => undefined);
    const latest = journal?.contents ?? contents;
    const left = journal === null ? "running" : leftOf(latest);
    if (left !== null) found.push({ row: leftoverRow(id, left, latest), pending: pendingText(latest) });
    // A run that begins now has no lock yet.
    if (left === null && id < stampOf(context.host.now() - beginningMs)) await journal?.remove();
    else await journal?.close();
  }
  return found;
}
