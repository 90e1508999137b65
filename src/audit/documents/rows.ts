// The audit as rows, for spreadsheets (csv) and programs (tsv): one for each thing that has access, with what was found
// and what changed, and one for each thing that is gone.
import { csvRecord, tsvLine } from "../../output/delimited.ts";
import { textOf } from "../../output/presentation.ts";
import { breadthOf } from "../breadth.ts";
import { describeChange, type Change } from "../changes.ts";
import { commandsOf } from "../findings.ts";
import { keyOf, type Item } from "../item.ts";
import { allItems, type Report } from "../report.ts";

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

/** The rows as text; csv begins with a header. */
export function* rowDocument(report: Report, format: "csv" | "tsv"): Generator<string> {
  const toText = format === "csv" ? csvRecord : tsvLine;
  if (format === "csv") yield csvRecord(titles);
  const changes = new Map<string, Change[]>();
  for (const change of report.changes ?? []) {
    const key = keyOf(change);
    changes.set(key, [...(changes.get(key) ?? []), change]);
  }
  for (const item of allItems(report.lists)) {
    const own = changes.size === 0 ? undefined : changes.get(keyOf(item));
    yield toText(cellsOf(item, own ?? [], report));
  }
  for (const change of report.changes ?? []) if (change.change === "gone") yield toText(cellsOfGone(change));
}

function cellsOf(item: Item, changes: readonly Change[], { findings }: Report): readonly string[] {
  const found = findings.of(item);
  return [
    item.resource,
    textOf(item.id),
    item.name,
    item.application ?? "",
    item.clientId ?? "",
    item.breadth.name,
    (item.scopes ?? []).join(" "),
    item.createdAt ?? "",
    item.updatedAt ?? "",
    item.expiresAt ?? "",
    item.usedAt ?? "",
    item.lastEight ?? "",
    item.fingerprint ?? "",
    found.map(({ rule, measure }) => `${rule} (${measure})`).join("; "),
    changesInWords(changes),
    commandsOf(found).join("; "),
  ];
}

function cellsOfGone(change: Change): readonly string[] {
  const { resource, id, name, before } = change;
  const scopes = before?.scopes ?? null;
  return [
    resource,
    textOf(id),
    name,
    before?.application ?? "",
    before?.client_id ?? "",
    breadthOf(scopes).name,
    (scopes ?? []).join(" "),
    before?.created_at ?? "",
    before?.updated_at ?? "",
    before?.expires_at ?? "",
    "",
    "",
    "",
    "",
    changesInWords([change]),
    "",
  ];
}

function changesInWords(changes: readonly Change[]): string {
  return changes.map((change) => `${change.change} (${describeChange(change)})`).join("; ");
}
