// The audit as rows, for spreadsheets (csv) and programs (tsv): one per item with its findings and changes, one per
// item that is gone since the snapshot, and one per organization that omitted items.
import { csvCell } from "../printing/delimited.ts";
import { cellText } from "../printing/presentation.ts";
import { sanitise } from "../drawing/sanitise.ts";
import { describeChange, type Change } from "./changes.ts";
import { commandsOf } from "./findings.ts";
import { allItems, breadthOf, keyOf, type AuditItem } from "./items.ts";
import type { Report } from "./report.ts";

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
  "LAST USED",
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
  const write = (cells: readonly (string | null)[]): string =>
    `${titles.map((_, index) => cell(cells[index] ?? "")).join(between)}${end}`;
  if (format === "csv") yield write(titles);
  const byKey = new Map<string, readonly Change[]>();
  for (const change of report.changes ?? []) {
    const key = keyOf(change);
    byKey.set(key, [...(byKey.get(key) ?? []), change]);
  }
  for (const item of allItems(report.lists)) yield write(cellsOf(item, report, byKey.get(keyOf(item)) ?? []));
  for (const change of report.changes ?? []) if (change.change === "gone") yield write(cellsOfGone(change));
  const unnamed = report.missing?.length === 0 ? [""] : [];
  for (const organization of [...(report.missing ?? []), ...unnamed])
    yield write(["incomplete", organization, "items left out by this organization's single sign-on"]);
}

function cellsOf(
  item: AuditItem,
  { findings }: Report,
  changes: readonly Change[],
): readonly (string | null)[] {
  const found = findings.of(item);
  return [
    item.resource,
    cellText(item.id),
    item.name,
    item.application,
    item.clientId,
    item.breadth.name,
    (item.scopes ?? []).join(" "),
    item.createdAt,
    item.updatedAt,
    item.expiresAt,
    item.usedAt,
    item.lastEight,
    item.fingerprint,
    found.map(({ rule, measure }) => `${rule.text} (${measure})`).join("; "),
    inWords(changes),
    commandsOf(found).join("; "),
  ];
}

function cellsOfGone(change: Change): readonly (string | null)[] {
  const { resource, id, name, before } = change;
  const scopes = before?.scopes ?? null;
  return [
    resource,
    cellText(id),
    name,
    before?.application ?? null,
    before?.client_id ?? null,
    breadthOf(scopes).name,
    (scopes ?? []).join(" "),
    before?.created_at ?? null,
    before?.updated_at ?? null,
    before?.expires_at ?? null,
    null,
    null,
    null,
    null,
    inWords([change]),
  ];
}

function inWords(changes: readonly Change[]): string {
  return changes.map((change) => `${change.change} (${describeChange(change)})`).join("; ");
}
