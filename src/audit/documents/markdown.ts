// The audit as Markdown, for the comment of a pull request or a job's summary. Text that others chose is put in code spans
// only, where it cannot be markup or a link, and mentions nobody.
import { withCommas } from "../../errors/words.ts";
import { sanitise } from "../../drawing/sanitise.ts";
import { textOf } from "../../printing/presentation.ts";
import { dayOf } from "../../drawing/relative-date.ts";
import { breadthOf } from "../breadth.ts";
import { describeChange } from "../changes.ts";
import { commandsOf } from "../findings.ts";
import type { Item } from "../item.ts";
import { accessInWords, countOf, summarise, type Report } from "../report.ts";
import { cutText, mostRows, scopesInWords } from "./cut.ts";

/** The document, in pieces. */
export function* markdownDocument(report: Report): Generator<string> {
  const summary = summarise(report);
  const { account, base_url, operator, findings, changes, lists } = report;
  yield `# Who has access to ${code(account)}\n\n`;
  yield `${accessInWords(summary)} at ${code(base_url)} (operator ${operator}), on ${dayOf(new Date(report.now).toISOString())}.\n\n`;
  yield `**${countOf(findings.count, "finding")}** at ${countOf(findings.itemCount, "item")}`;
  yield changes === null ? ".\n" : `, **${countOf(changes.length, "change")}** since the snapshot.\n`;
  const rules = summary.rules.filter((rule) => rule.findings > 0);
  yield* table("Rules", ["Rule", "Findings"], rules, (rule) => [code(rule.rule), String(rule.findings)]);
  const cellsOf = (item: Item): readonly string[] => {
    const found = findings.of(item);
    return [
      nameOf(item),
      reachOf(item.scopes),
      found.map(({ rule, measure }) => `${code(rule)} ${code(measure)}`).join("<br>"),
      commandsOf(item, found)
        .map((command) => code(command, 400))
        .join("<br>"),
    ];
  };
  const titles = ["What", "Reach", "Found", "Command"];
  yield* table("Findings", titles, findings.items(mostRows), cellsOf, findings.itemCount);
  yield* table("Changes", ["Change", "What", "How"], changes ?? [], (change) => [
    change.change,
    nameOf(change),
    code(describeChange(change)),
  ]);
  yield* table("Applications", ["Application", "Reach", "Since", "Last updated"], lists.grants ?? [], rowOf);
  yield* table(
    "Tokens",
    ["Token", "Reach", "Since", "Last updated", "Expires"],
    lists.authorizations ?? [],
    (item) => [...rowOf(item), dateText(item.expiresAt)],
  );
  yield* table(
    "Credentials",
    ["Credential", "Reach", "Since", "Last used"],
    lists.credentials ?? [],
    (item) => [...rowOf(item).slice(0, 3), dateText(item.usedAt)],
  );
}

function* table<Row>(
  heading: string,
  titles: readonly string[],
  rows: readonly Row[],
  cellsOf: (row: Row) => readonly string[],
  count = rows.length,
): Generator<string> {
  if (rows.length === 0) return;
  yield `\n## ${heading}\n\n| ${titles.join(" | ")} |\n|${titles.map(() => "---|").join("")}\n`;
  for (const row of rows.slice(0, mostRows)) yield `| ${cellsOf(row).join(" | ")} |\n`;
  if (count > mostRows) {
    yield `\n${withCommas(mostRows)} of ${withCommas(count)} are shown; \`grantctl audit --format csv\` has them all.\n`;
  }
}

function rowOf(item: Item): readonly string[] {
  return [nameOf(item), reachOf(item.scopes), dateText(item.createdAt), dateText(item.updatedAt)];
}

function dateText(date: string | null): string {
  return date === null ? "" : code(dayOf(date));
}

function nameOf({ name, resource, id }: Pick<Item, "name" | "resource" | "id">): string {
  return `${code(name)} (${resource} ${textOf(id)})`;
}

function reachOf(scopes: readonly string[] | null): string {
  const { name } = breadthOf(scopes);
  return scopes === null || scopes.length === 0 ? name : `${name}: ${code(scopesInWords(scopes))}`;
}

/**
 * A code span that holds this text and nothing else, in a table too. There a pipe ends the cell, unless a backslash is
 * before it that is not itself behind one; so a backslash of the text before a pipe is written as its code.
 */
function code(text: string, longest?: number): string {
  const shown = sanitise(cutText(text, longest)).replace(/(\\?)\|/g, (_, backslash: string) =>
    backslash === "" ? String.raw`\|` : String.raw`\x5c\|`,
  );
  if (shown.trim() === "") return "";
  const fence = "`".repeat(1 + Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length)));
  return shown.includes("`") ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}
