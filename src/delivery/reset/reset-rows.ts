// How the result of a reset is shown: a line for each token, with the new token where tokens go to the same place.
import { lastEight } from "../../token-value.ts";
import { failedStatus } from "../../jobs/tally.ts";
import type { Outcome } from "../../jobs/run-items.ts";
import { toJson } from "../../json/exact-json.ts";
import { pickFields } from "../../printing/fields.ts";
import type { ListWriter } from "../../printing/list-writers.ts";
import type { Places, Placed } from "../../reports/sources.ts";
import type { Context } from "../../run/context.ts";
import { itemPresentation, resetPresentation, type ItemRow, type ResetRow } from "../../printing/tokens.ts";
import type { MadeToken } from "../new-value.ts";
import { openValueLines, type ValueLines } from "../value-lines.ts";
import type { ValueReceiver } from "../value-receiver.ts";

/** The fields in the line of one of several tokens, unless others are asked for. */
const plainFields = ["token_last_eight_before", "id", "token", "status"];

/** A row with the places in a report where its token was found. */
export type PlacedRow = Placed<ResetRow>;

/** Opens the output for the new tokens and for the report on each reset. */
export function openResetLines(
  { placed }: Places,
  receiver: ValueReceiver,
  context: Context,
): ValueLines<PlacedRow> {
  const presentation = placed(resetPresentation);
  const { printer, options } = context;
  // With a file for the tokens the report is short; with a command for them, JSON has every field but the tokens. Fields
  // that were asked for are those of the rows, and not of the short report.
  const hasRows = receiver.kind === "command" && printer.isJson;
  const openReport = (): ListWriter<PlacedRow> => {
    if (hasRows || typeof options.json === "string") return printer.openList(presentation);
    const report = printer.openList(placed(itemPresentation([])));
    return { add: (rows) => report.add(rows.map(statusOf)), end: () => report.end() };
  };
  return openValueLines<PlacedRow>(receiver, { presentation, plainLine, openReport }, context);
}

function statusOf({ status, token_last_eight_before, ...row }: PlacedRow): ItemRow {
  return { status, token_last_eight: token_last_eight_before, ...sourcesIn(row) };
}

/** The places where a token was found in its input, for a row that has them. */
function sourcesIn({ sources, sources_omitted }: Placed<object>): Placed<object> {
  return {
    ...(sources === undefined ? {} : { sources }),
    ...(sources_omitted === undefined ? {} : { sources_omitted }),
  };
}

function plainLine(row: PlacedRow): string {
  return `${toJson({ ...pickFields(row, plainFields), ...sourcesIn(row) }, 0)}\n`;
}

/** An outcome's row; `isProven` tells whether "not found" is the service's word on the token. */
export function rowOf(outcome: Outcome<string, MadeToken>, isProven: boolean): ResetRow {
  if (outcome.state === "done") return resetRow(outcome.item, outcome.result);
  return {
    token_last_eight_before: lastEight(outcome.item),
    id: null,
    token: null,
    status: outcome.state === "failed" ? failedStatus(outcome.failure, isProven) : outcome.state,
  };
}

/** The row of a token that was reset. */
export function resetRow(token: string, authorization: MadeToken): ResetRow {
  return { token_last_eight_before: lastEight(token), ...authorization, status: "reset" };
}
