// Rotates authorizations as a job, even a single one: the record has the state of each (rotation.ts), so that --resume
// continues after any step. Several rotations run in parallel, each with a row in the report. A single one prints only
// its new token, as `authorization create` does.
import { authorizations } from "../output/resources.ts";
import type { Id } from "../api/resources.ts";
import { noneExists } from "../errors/words.ts";
import { runJob } from "../jobs/job.ts";
import type { Journal } from "../jobs/journal.ts";
import { accountAbsence } from "../jobs/proof.ts";
import { parseJson, toJson } from "../json.ts";
import { column, statusColumn, type Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token.ts";
import { createClaims, readNewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";
import { explainFailure, type Rotated, rotateOne, type RotationTools } from "./rotation.ts";
import { openValues, throwFailureOf } from "./values.ts";

/** Rotates the authorizations with these IDs. Throws the job's failure. */
export async function rotateItems(
  ids: readonly string[],
  options: {
    readonly keepsOld: boolean;
    /** As in the preview of a job. */
    readonly isOfOne: boolean;
    readonly journal: Journal | undefined;
  },
  receiver: ValueReceiver,
  context: Context,
): Promise<void> {
  const { keepsOld, isOfOne, journal } = options;
  const isBare = isOfOne && !context.printer.printsRows;
  const { service, username } = await context.server.accountService();
  const values = openValues<RotationRow>(receiver, rotationPresentation, isBare ? "bare" : "rows", context);
  const tools: RotationTools = {
    context,
    service,
    keepsOld,
    claims: createClaims(ids, journal?.earlierEntries),
    // A command keeps what it took; a file or standard output gets all values again.
    givesAgain: receiver.toCommand === undefined,
    delivered: new Set(),
    remaining: new Map(),
    deliver: async (id, rotated) => throwFailureOf(await values.deliver([rotatedRow(id, rotated)])),
  };
  await runJob<Rotated, RotationRow>(context, {
    operation: "rotate",
    journal,
    requester: username,
    items: ids,
    receiver,
    absence: accountAbsence(service, authorizations, context),
    act: (id, attempt) => rotateOne(id, attempt, tools),
    async giveAgain(entries) {
      const rows = entries.map(async ({ item, body, old }) => {
        const successor = await readNewToken(body);
        return successor === null || old === undefined ? [] : [rotatedRow(item, { successor, old })];
      });
      throwFailureOf(await values.deliver((await Promise.all(rows)).flat()));
    },
    done: "rotated",
    isGoneDone: false,
    refine: (outcome) => explainFailure(outcome, tools.remaining.get(outcome.item)),
    verified: noneExists("authorization"),
    presentation: rotationPresentation,
    list: values.list,
    createRow(id, status, rotated, reason) {
      if (rotated !== null && isBare && context.stdout.isTerminal) {
        const made = toJson(rotated.successor.id, 0);
        context.notices.note(`the new token of authorization ${id} is authorization ${made}`);
      }
      if (rotated !== null && values.printsRows) return null;
      return rotated === null
        ? { ...emptyRow(id, status), reason }
        : { ...rotatedRow(id, rotated), token: "" };
    },
  });
}

/** With the value, this row is printed when it is delivered; if a later step fails, another row follows. */
function rotatedRow(id: string, { successor, old }: Rotated): RotationRow {
  const { token } = successor;
  return {
    ...emptyRow(id, "rotated", old.note),
    id: successor.id,
    token_last_eight: lastEight(token),
    token,
  };
}

/** One authorization and its successor. */
interface RotationRow {
  readonly id_before: Id;
  readonly id: Id | null;
  readonly note: string | null;
  readonly token_last_eight: string | null;
  /** The new token; empty if it was delivered elsewhere, null if there is none. */
  readonly token: string | null;
  readonly status: string;
  /** Why it is not rotated; null if it is. */
  readonly reason: string | null;
}

export const rotationPresentation: Presentation<RotationRow> = {
  fields: "id_before id note token_last_eight token status reason".split(" "),
  columns: [statusColumn, column("ID", "id_before", { isWhole: true })],
};

/** The row of an item for which no new token exists. */
export function emptyRow(idBefore: string, status: string, note: string | null = null): RotationRow {
  return {
    id_before: parseJson(idBefore) as Id,
    id: null,
    note,
    token_last_eight: null,
    token: null,
    status,
    reason: null,
  };
}
