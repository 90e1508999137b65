// The audit as rows, for spreadsheets (csv) and programs (tsv): one for each thing that has access, with what was found
// and what changed, and one for each thing that is gone.
import { csvCells, tsvCells } from "../../output/delimited.ts";
import { textOf } from "../../output/presentation.ts";
import { breadthOf } from "../breadth.ts";
import { describeChange, type Change } from "../changes.ts";
import { commandsOf } from "../findings.ts";
import { keyOf, type Item } from "../item.ts";
import { JoinedTexts } from "../joined-texts.ts";
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

/** How a row is written: its cells, what stands between two of them, and its end. */
const writings = {
  csv: { write: csvCells, between: ",", end: "\r\n" },
  tsv: { write: tsvCells, between: "\t", end: "\n" },
} as const;

/** The rows as text; csv begins with a header. */
export function createRowDocument(format: "csv" | "tsv"): Document {
  const { write, between, end } = writings[format];
  /** What an item says of itself begins its row, and is written while pages come. */
  const beginnings: Readonly<Record<SnapshotList, JoinedTexts[]>> = {
    grants: [],
    authorizations: [],
    credentials: [],
  };
  return {
    add(list, items) {
      beginnings[list].push(new JoinedTexts(items.map((item) => write(cellsOf(item)))));
    },
    *write(report) {
      if (format === "csv") yield `${write(titles)}${end}`;
      const changes = changesByKey(report.changes ?? []);
      for (const list of snapshotLists) {
        const items = (report.lists[list] ?? []).values();
        for (const page of beginnings[list]) {
          for (let index = 0; index < page.length; index += 1) {
            const item = items.next().value;
            if (item !== undefined)
              yield `${page.at(index)}${between}${write(verdictOf(item, changes, report))}${end}`;
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

/** The cells that the service's answer gives. */
function cellsOf(item: Item): readonly string[] {
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
  ];
}

/** The cells that are known when everything was read. */
function verdictOf(
  item: Item,
  changes: ReadonlyMap<string, readonly Change[]>,
  { findings }: Report,
): readonly string[] {
  const found = findings.of(item);
  const own = changes.size === 0 ? [] : (changes.get(keyOf(item)) ?? []);
  return [
    found.map(({ rule, measure }) => `${rule} (${measure})`).join("; "),
    changesInWords(own),
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
