// The audit as one JSON document, in pieces: its lists may be longer than what fits into memory as objects. The
// service's own data is passed on as it came.
import { toJson } from "../../exact-json.ts";
import { outerNames, pickFields } from "../../output/fields.ts";
import { textOf } from "../../output/presentation.ts";
import type { Change } from "../changes.ts";
import { auditFields } from "./audit-schema.ts";
import { createPackedPages } from "../packed-pages.ts";
import { summarise, type Report } from "../report.ts";
import type { Document } from "./document.ts";

/** The document with these fields, or with all. Each thing of a list stands on a line of its own. */
export function createJsonDocument(fields: readonly string[] | null, isOneLine: boolean): Document {
  const wanted = fields ?? auditFields.filter((field) => !field.startsWith("summary."));
  const names = outerNames(wanted);
  const pages = {
    grants: createPackedPages(),
    authorizations: createPackedPages(),
    credentials: createPackedPages(),
  };
  return {
    add(list, _, sent) {
      if (names.includes(list)) pages[list].add(sent);
    },
    *write(report) {
      const { account, baseUrl: base_url, operator, organization } = report;
      const head = { account, base_url, operator, organization, summary: summarise(report) };
      const lists: Readonly<Record<string, () => Iterable<string>>> = {
        findings: () => findingTexts(report),
        changes: () => changeTexts(report.changes ?? []),
        grants: pages.grants.texts,
        authorizations: pages.authorizations.texts,
        credentials: pages.credentials.texts,
      };
      let separator = "{";
      for (const name of names) {
        yield `${separator}${JSON.stringify(name)}:`;
        separator = isOneLine ? "," : ",\n";
        const list = lists[name];
        if (list !== undefined) yield* arrayOf(list(), isOneLine);
        else {
          const own = wanted.filter((field) => field === name || field.startsWith(`${name}.`));
          yield toJson(pickFields(head, own.includes(name) ? [name] : own)[name], 0);
        }
      }
      yield "}\n";
    },
  };
}

function* arrayOf(texts: Iterable<string>, isOneLine: boolean): Generator<string> {
  const end = isOneLine ? "" : "\n";
  let isEmpty = true;
  for (const text of texts) {
    yield `${isEmpty ? `[${end}` : `,${end}`}${isOneLine ? text.replaceAll("\n", "") : text}`;
    isEmpty = false;
  }
  yield isEmpty ? "[]" : `${end}]`;
}

function* findingTexts({ findings }: Report): Generator<string> {
  for (const item of findings.items) {
    const { resource, id, name } = item;
    // Written out: there may be several hundred thousand, and what they have in common is made once.
    const about = `"resource":"${resource}","id":${textOf(id)},"name":${JSON.stringify(name)}`;
    for (const { rule, measure, command } of findings.of(item)) {
      yield `{"rule":${JSON.stringify(rule)},${about},"measure":${JSON.stringify(measure)},"command":${JSON.stringify(command)}}`;
    }
  }
}

function* changeTexts(changes: readonly Change[]): Generator<string> {
  for (const change of changes) yield toJson(change, 0);
}
