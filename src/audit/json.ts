// The audit as one JSON document, in pieces, because its lists may exceed the maximum string length. The server's own
// resources are written unchanged. They are buffered as bytes until the end, because the document begins with the
// findings.
import { toJson } from "../json/exact-json.ts";
import { joinItems } from "../json/items.ts";
import { pickFields } from "../printing/fields.ts";
import { breadthNames, type BreadthName, type KeepPage, type ListName } from "./items.ts";
import { changeKinds } from "./changes.ts";
import type { Report } from "./report.ts";
import { auditFields, type Summary } from "./document.ts";

/**
 * Creates a document with these fields, or with all if null. Each list element is on its own line unless `isOneLine`
 * is set. `keep` buffers a page of a list as the server sent it; `write` is for the time after everything was read.
 */
export function createJsonDocument(fields: readonly string[] | null, isOneLine: boolean) {
  const wanted = fields ?? auditFields.filter((field) => !/^(?:summary|incomplete)\./.test(field));
  const names = [...new Set(wanted.map((field) => field.split(".")[0] ?? ""))];
  const lineEnd = isOneLine ? "" : "\n";
  const between = `,${lineEnd}`;
  const pages: Record<ListName, Buffer[]> = { grants: [], authorizations: [] };
  const keep: KeepPage = (list, sent) => {
    if (names.includes(list) && sent.length > 0) pages[list].push(joinItems(sent, "", between, ""));
  };
  function* write(report: Report): Generator<string> {
    const incomplete = report.missing === null ? null : { organizations: report.missing };
    const head = { ...report, incomplete, summary: summarise(report) };
    const lists: Readonly<Record<string, () => Iterable<string>>> = {
      findings: () => findingLines(report),
      changes: () => (report.comparison?.changes ?? []).map((change) => toJson(change, 0)),
      grants: () => textsOf(pages.grants),
      authorizations: () => textsOf(pages.authorizations),
    };
    let separator = "{";
    for (const name of names) {
      yield `${separator}${JSON.stringify(name)}:`;
      separator = between;
      const list = lists[name];
      if (list !== undefined) yield* arrayOf(list(), between, lineEnd);
      else {
        const own = wanted.filter((field) => field === name || field.startsWith(`${name}.`));
        yield toJson(pickFields(head, own.includes(name) ? [name] : own)[name], 0);
      }
    }
    yield "}\n";
  }
  return { keep, write };
}

function* textsOf(pages: readonly Buffer[]): Generator<string> {
  for (const page of pages) yield page.toString("utf8");
}

/** A JSON array in pieces; each input piece holds one or more elements. */
function* arrayOf(pieces: Iterable<string>, between: string, lineEnd: string): Generator<string> {
  let separator = `[${lineEnd}`;
  for (const piece of pieces) {
    yield separator;
    yield piece;
    separator = between;
  }
  yield separator === between ? `${lineEnd}]` : "[]";
}

function* findingLines({ findings }: Report): Generator<string> {
  for (const item of findings.items) {
    const { resource, id, name } = item;
    for (const { rule, measure, command, severity, judged, alternatives } of findings.of(item)) {
      const about = { rule: rule.text, resource, id, name };
      yield toJson({ ...about, measure, command, severity, judged, alternatives }, 0);
    }
  }
}

function summarise({ lists, findings, comparison }: Report): Summary {
  const changes = comparison?.changes;
  const count = (list: ListName, breadth: BreadthName): number =>
    lists[list].filter((item) => item.breadth.name === breadth).length;
  return {
    grants: lists.grants.length,
    authorizations: lists.authorizations.length,
    findings: findings.count,
    items_with_findings: findings.items.length,
    changes: changes?.length ?? null,
    rules: findings.rules.map(({ rule, ...counts }) => ({ rule: rule.text, ...counts })),
    breadths: [...breadthNames, "unknown" as const].toReversed().map((breadth) => ({
      breadth,
      grants: count("grants", breadth),
      authorizations: count("authorizations", breadth),
    })),
    change_kinds: changeKinds.map((change) => ({
      change,
      count: changes?.filter((one) => one.change === change).length ?? 0,
    })),
  };
}
