// `grantctl recover list`: lists the leftovers of earlier runs, one per row.
import {
  type Context,
  type Define,
  addExamples,
  explainInherited,
  printsFields,
} from "../../command-line/command.ts";
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";
import { resumeCommandFromHead } from "../../jobs/resume-hint.ts";
import { type JournalRef, type Leftover, type LeftoverState, summarize } from "../../journal/leftover.ts";
import { noteEmptyList } from "../../lists/paging.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { column, type FieldOf, type Presentation } from "../../printing/presentation.ts";

export const defineList: Define = (command, act) => {
  command
    .alias("ls")
    .summary("List what earlier runs left behind")
    .description("List undelivered token values, requests with an unknown result, and unfinished jobs.")
    .action(act(run, { isPaged: true, printsList: true, announces: false }));
  explainInherited(command, "--json", "--jq", "--format");
  printsFields(command, fields);
  addHelpSection(
    command,
    section(
      "States",
      terms({
        "value kept": "A new token was saved but not delivered: run `grantctl recover show ID`",
        "outcome unknown":
          "A request was sent, but no complete response arrived: run `grantctl recover show ID`",
        "orphaned token":
          "The token of an interrupted `authorization run` may still exist: run `grantctl recover end ID`",
        unfinished: "A job has pending items: run its resume command",
        "locked, damaged, of a later version": "All or part of the journal cannot be used",
      }),
    ),
  );
  addExamples(command, ["grantctl recover list", "grantctl recover list --json id,state"]);
};

async function run(context: Context): Promise<void> {
  context.printer.checkFields(leftoverPresentation);
  const rows = (await findRows(context)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await printUnlessPipeClosed(() => context.printer.printList(rows, leftoverPresentation));
  if (rows.length === 0) noteEmptyList("no unfinished work from earlier runs", context);
  noteNextCommands(rows, context);
}

async function findRows(context: Context): Promise<readonly LeftoverRow[]> {
  const journals = await context.journals();
  return [
    ...(await journals.leftovers()).map((leftover) => leftoverRow(leftover, context)),
    ...(await journals.laterLeftovers()).map((later) => unreadableRow(later, "of a later version")),
    ...(await journals.heldElsewhere()).map((held) => unreadableRow(held, "locked")),
  ];
}

function noteNextCommands(rows: readonly LeftoverRow[], { printer, stdout, notices }: Context): void {
  for (const { id } of rows.filter(({ state }) => state === "locked"))
    notices.note(
      `${id} is locked by a process that cannot be checked from here. If it has ended, run \`grantctl recover forget ${id} --force\`.`,
    );
  if (stdout.isTerminal && rows.some(({ state }) => state === "orphaned token"))
    notices.note("Run `grantctl recover end --all` to delete orphaned tokens.");
  const resumable = rows.flatMap(({ resume }) => resume ?? []);
  // On a terminal, a table is too narrow for the commands that resume jobs; elsewhere they are a column.
  if (printer.format !== "table" || !stdout.isTerminal || resumable.length === 0) return;
  notices.note(
    "To resume a job, run its command with the original input (to delete grants and authorizations, none is needed):",
  );
  for (const line of resumable) notices.note(`  ${line}`);
}

/** A leftover of an earlier run. */
interface LeftoverRow {
  readonly id: string;
  readonly operation: string;
  readonly state: LeftoverState | "of a later version" | "locked";
  /** The base URL of the server. */
  readonly address: string;
  readonly created_at: string;
  readonly items: number;
  readonly done: number;
  /** The number of kept token values. */
  readonly values: number;
  readonly unknown: number;
  /** The file for --resume; null if there is nothing to resume. */
  readonly journal: string | null;
  /** The tokens with a kept value or an unknown outcome. */
  readonly token_last_eights: readonly string[];
  /** The command that continues it, with the same input; null if there is nothing to resume. */
  readonly resume: string | null;
  /** The number of items that were tried, and are known to be unchanged. */
  readonly failed: number;
  /** The number of items that are neither done nor failed. */
  readonly to_go: number;
  /** The notes of new tokens of an unfinished rotation, or of an orphaned token. */
  readonly notes: readonly string[];
}

const fields = [
  "id",
  "operation",
  "state",
  "address",
  "created_at",
  "items",
  "done",
  "values",
  "unknown",
  "journal",
  "token_last_eights",
  "resume",
  "failed",
  "to_go",
  "notes",
] as const satisfies readonly FieldOf<LeftoverRow>[];

const leftoverPresentation: Presentation<LeftoverRow> = {
  fields,
  columns: [
    column("ID", "id", { isWhole: true }),
    column("OPERATION", "operation", { isWhole: true, priority: 3 }),
    column("STATE", "state", { isWhole: true, priority: 2 }),
    { title: "DONE", text: (row) => `${row.done}/${row.items}`, isWhole: true, priority: 4 },
    column("CREATED", "created_at", { isMoment: true, priority: 5 }),
    column("AT", "address", { priority: 6 }),
    // Low priority, because --resume also accepts the ID.
    column("JOURNAL", "journal", { isWhole: true, priority: 9 }),
    { title: "TOKENS", text: (row) => formatTokens(row.token_last_eights), priority: 7 },
    column("RESUME", "resume", { isWhole: true, priority: 8 }),
    column("FAILED", "failed", { isWhole: true, priority: 6 }),
    column("TO GO", "to_go", { isWhole: true, priority: 6 }),
    column("UNKNOWN", "unknown", { isWhole: true, priority: 6 }),
  ],
  moments: ["created_at"],
};

/** The maximum number of tokens per row; JSON has all. */
const mostShown = 5;

function formatTokens(lastEights: readonly string[]): string {
  const more = lastEights.length - mostShown;
  return [...lastEights.slice(0, mostShown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const blankRow: LeftoverRow = {
  id: "",
  operation: "unknown",
  state: "unfinished",
  address: "",
  created_at: "",
  items: 0,
  done: 0,
  values: 0,
  unknown: 0,
  journal: null,
  token_last_eights: [],
  notes: [],
  resume: null,
  failed: 0,
  to_go: 0,
};

function leftoverRow(leftover: Leftover, context: Context): LeftoverRow {
  const { id, path, contents } = leftover;
  const { operation, address, created_at } = contents.head;
  const { lastEights, isJob, toGo, ...summary } = summarize(leftover);
  return {
    ...blankRow,
    id,
    operation,
    address,
    created_at,
    ...summary,
    journal: isJob ? path : null,
    token_last_eights: lastEights,
    resume: isJob ? resumeCommandFromHead(context, contents, id) : null,
    to_go: toGo,
  };
}

/** The row of a leftover of which only the ID can be read. */
function unreadableRow({ id }: JournalRef, state: "of a later version" | "locked"): LeftoverRow {
  return { ...blankRow, id, state };
}
