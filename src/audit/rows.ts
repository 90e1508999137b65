// The audit as rows, for spreadsheets (csv) and programs (tsv): one per item with its findings and changes, one per
// item that is gone since the earlier audit, and one per organization that omitted items.
import { csvCell } from "../printing/delimited.ts";
import { groupBy } from "../lists/group-by.ts";
import { cellText } from "../printing/presentation.ts";
import { sanitise } from "../drawing/sanitise.ts";
import { describeChange } from "./changes.ts";
import type { Found } from "./findings.ts";
import { breadthOf, keyOf, type AuditItem } from "./items.ts";
import type { Report } from "./report.ts";
import type { Change, SnapshotItem } from "./document.ts";

const titles = [
  "RESOURCE",
  "ID",
  "NAME",
  "APPLICATION",
  "CLIENT ID",
  "BREADTH",
  "SCOPES",
  "CREATED",
  "UPDATED",
  "EXPIRES",
  "LAST EIGHT",
  "FINGERPRINT",
  "FINDINGS",
  "CHANGES",
  "COMMANDS",
];

/** The row formats: how to write a cell, the separator, and the line end. */
const writings = {
  csv: { cell: csvCell, between: ",", end: "\r\n" },
  tsv: { cell: sanitise, between: "\t", end: "\n" },
} as const;

/** The document, in pieces; csv begins with a header. */
export function* rowDocument(report: Report, format: "csv" | "tsv"): Generator<string> {
  const { cell, between, end } = writings[format];
  const write = (cells: readonly (string | null | undefined)[]): string =>
    `${titles.map((_, index) => cell(cells[index] ?? "")).join(between)}${end}`;
  if (format === "csv") yield write(titles);
  const changes = report.comparison?.changes ?? [];
  const byKey = groupBy(changes, keyOf);
  for (const item of report.items)
    yield write(cellsOf(item, report.findings.of(item), byKey.get(keyOf(item)) ?? []));
  for (const change of changes) {
    const { resource, before, after } = change;
    if (before === null || after !== null) continue;
    yield write(cellsOf({ ...before, resource, breadth: breadthOf(before.scopes) }, [], [change]));
  }
  const unnamed = report.missing?.length === 0 ? [""] : [];
  for (const organization of [...(report.missing ?? []), ...unnamed])
    yield write(["incomplete", organization, "items left out by this organization's single sign-on"]);
}

/** An item that is gone since the earlier audit has only what is compared. */
type Listed = Pick<AuditItem, "resource" | "breadth"> & SnapshotItem & Partial<AuditItem>;

function cellsOf(
  item: Listed,
  found: readonly Found[],
  changes: readonly Change[],
): readonly (string | null | undefined)[] {
  return [
    item.resource,
    cellText(item.id),
    item.name,
    item.application,
    item.client_id,
    item.breadth.name,
    (item.scopes ?? []).join(" "),
    item.created_at,
    item.updated_at,
    item.expires_at,
    item.token_last_eight,
    item.fingerprint,
    found.map(({ rule, measure }) => `${rule.text} (${measure})`).join("; "),
    changes.map((change) => `${change.change} (${describeChange(change)})`).join("; "),
    // A command that fixes several findings is listed once.
    [...new Set(found.map(({ command }) => command))].join("; "),
  ];
}
