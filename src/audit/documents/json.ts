// The audit as one JSON document, in pieces: its lists may be longer than what fits into memory as objects. The
// service's own data is passed on as it came, and kept packed until then: the document begins with what was found, which
// is known only when everything was read.
import { toJson } from "../../json/exact-json.ts";
import { joinItems } from "../../json/items.ts";
import { textOf } from "../../printing/presentation.ts";
import { pickFields } from "../../printing/fields.ts";
import type { Found } from "../findings.ts";
import { createPackedTexts } from "../packed-texts.ts";
import { remember } from "../remember.ts";
import { summarise, type Report } from "../report.ts";
import { auditFields } from "./audit-schema.ts";
import type { Document } from "./document.ts";

/** The document with these fields, or with all. Each element of a list has a line of its own. */
export function createJsonDocument(fields: readonly string[] | null, isOneLine: boolean): Document {
  const wanted = fields ?? auditFields.filter((field) => !field.startsWith("summary."));
  const names = [...new Set(wanted.map((field) => field.split(".")[0] ?? ""))];
  const lineEnd = isOneLine ? "" : "\n";
  const between = `,${lineEnd}`;
  const pages = {
    grants: createPackedTexts(),
    authorizations: createPackedTexts(),
    credentials: createPackedTexts(),
  };
  return {
    add(list, _, sent) {
      if (names.includes(list) && sent.length > 0) pages[list].add(joinItems(sent, "", between, ""));
    },
    *write(report) {
      const { account, base_url, operator, organization } = report;
      const head = { account, base_url, operator, organization, summary: summarise(report) };
      const lists: Readonly<Record<string, () => Iterable<string>>> = {
        findings: () => findingLines(report, between),
        changes: () => changeLines(report),
        grants: pages.grants.texts,
        authorizations: pages.authorizations.texts,
        credentials: pages.credentials.texts,
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
    },
  };
}

/** One array, in pieces that hold one element or several. */
function* arrayOf(pieces: Iterable<string>, between: string, lineEnd: string): Generator<string> {
  let separator = `[${lineEnd}`;
  for (const piece of pieces) {
    yield separator;
    yield piece;
    separator = between;
  }
  yield separator === between ? `${lineEnd}]` : "[]";
}

function* changeLines({ changes }: Report): Generator<string> {
  for (const change of changes ?? []) yield toJson(change, 0);
}

/** The findings of each item. There may be several hundred thousand: what they have in common is written once. */
function* findingLines({ findings }: Report, between: string): Generator<string> {
  const linesOf = remember(({ rule, measure, command: [beforeId, behindId] }: Found) => ({
    start: `{"rule":${JSON.stringify(rule)},`,
    middle: `,"measure":${JSON.stringify(measure)},"command":${JSON.stringify(beforeId).slice(0, -1)}`,
    end: `${JSON.stringify(behindId).slice(1)}}`,
  }));
  for (const item of findings.items()) {
    const id = textOf(item.id);
    const about = `"resource":"${item.resource}","id":${id},"name":${JSON.stringify(item.name)}`;
    let lines = "";
    for (const found of findings.of(item)) {
      const { start, middle, end } = linesOf(found);
      lines += `${lines === "" ? "" : between}${start}${about}${middle}${id}${end}`;
    }
    yield lines;
  }
}
