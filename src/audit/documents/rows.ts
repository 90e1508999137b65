// The audit as rows, for spreadsheets (csv) and programs (tsv): one for each thing that has access, with what was found
// and what changed, and one for each thing that is gone.
import { csvCell } from "../../printing/delimited.ts";
import { textOf } from "../../printing/presentation.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { breadthOf } from "../breadth.ts";
import { describeChange, type Change } from "../changes.ts";
import { commandsOf, type Found } from "../findings.ts";
import type { Application, Reach } from "../item-page.ts";
import { keyOf, type Item } from "../item.ts";
import { JoinedTexts } from "../joined-texts.ts";
import { remember } from "../remember.ts";
import type { Report } from "../report.ts";
import { snapshotLists, type SnapshotList } from "../snapshot.ts";
import type { Document } from "./document.ts";

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

/** How a row is written: its cells, the separator, and the end of the row. */
const writings = {
  csv: { cell: csvCell, between: ",", end: "\r\n" },
  tsv: { cell: sanitise, between: "\t", end: "\n" },
} as const;

/** The rows as text; csv begins with a header. */
export function createRowDocument(format: "csv" | "tsv"): Document {
  const { cell, between, end } = writings[format];
  const cellOf = (text: string | null): string => (text === null ? "" : cell(text));
  const write = (cells: readonly string[]): string => cells.map(cell).join(between);
  const ofApplication = remember(({ application, clientId }: Application) =>
    write([application ?? "", clientId ?? ""]),
  );
  const ofReach = remember(({ breadth, scopes }: Reach) => write([breadth.name, (scopes ?? []).join(" ")]));
  /** The beginning of each row, which needs only the item and is made while pages arrive. */
  const beginnings: Readonly<Record<SnapshotList, JoinedTexts[]>> = {
    grants: [],
    authorizations: [],
    credentials: [],
  };
  return {
    add(list, items) {
      const rows = items.map((item) =>
        [
          item.resource,
          cell(textOf(item.id)),
          cell(item.name),
          ofApplication(item.app),
          ofReach(item.reach),
          cellOf(item.createdAt),
          cellOf(item.updatedAt),
          cellOf(item.expiresAt),
          cellOf(item.usedAt),
          cellOf(item.lastEight),
          cellOf(item.fingerprint),
        ].join(between),
      );
      beginnings[list].push(new JoinedTexts(rows));
    },
    *write(report) {
      if (format === "csv") yield `${write(titles)}${end}`;
      const verdictOf = judgeRows(report);
      for (const list of snapshotLists) {
        const items = (report.lists[list] ?? []).values();
        for (const page of beginnings[list]) {
          for (let index = 0; index < page.length; index += 1) {
            const item = items.next().value;
            if (item !== undefined) yield `${page.at(index)}${between}${write(verdictOf(item))}${end}`;
          }
        }
      }
      for (const change of report.changes ?? []) {
        if (change.change === "gone") yield `${write(cellsOfGone(change))}${end}`;
      }
    },
  };
}

function changesByKey(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const byKey = new Map<string, Change[]>();
  for (const change of changes) {
    const key = keyOf(change);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [change]);
    else same.push(change);
  }
  return byKey;
}

/** Makes the cells of an item that are known only after everything was read. */
function judgeRows({ findings, changes }: Report): (item: Item) => readonly string[] {
  const wordsOf = remember(({ rule, measure }: Found) => `${rule} (${measure})`);
  const byKey = changesByKey(changes ?? []);
  return (item) => {
    const found = findings.of(item);
    const own = byKey.size === 0 ? [] : (byKey.get(keyOf(item)) ?? []);
    return [found.map(wordsOf).join("; "), changesInWords(own), commandsOf(item, found).join("; ")];
  };
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
