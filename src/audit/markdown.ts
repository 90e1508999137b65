// The audit as Markdown, for a pull request comment or a job summary. Untrusted text appears only in code spans, so
// that it cannot be markup, a link or a mention.
import { withCommas } from "../errors/words.ts";
import { sanitise } from "../drawing/sanitise.ts";
import { dayOf } from "../drawing/relative-date.ts";
import { accessOfUnits, countByRule, findingsInWords, unitsOf, type Unit } from "./access.ts";
import type { Action } from "./actions.ts";
import { changesInWords, groupChanges } from "./changes.ts";
import { severitiesInWords } from "./findings.ts";
import { keyOf, type AuditItem } from "./items.ts";
import { cutText, mostRows, scopesInWords } from "./html.ts";
import { missingInWords, type Report } from "./report.ts";

export function* markdownDocument(report: Report): Generator<string> {
  const { account, base_url, operator, comparison, lists } = report;
  const missing = missingInWords(report);
  yield `# Who has access to ${code(account)}\n\n`;
  if (missing !== null) yield `> **${missing}**\n\n`;
  const units = unitsOf(report);
  yield `${accessOfUnits(units)} at ${code(base_url)} (operator ${operator}), on ${dayOf(new Date(report.now).toISOString())}.\n\n`;
  const found = units.filter(({ severity }) => severity !== null);
  yield found.length === 0
    ? "**No findings**"
    : `**${findingsInWords(units)}** (${severitiesInWords(found)})`;
  const groups = comparison === null ? null : groupChanges(comparison);
  yield groups === null ? ".\n" : `. **Changes since the snapshot:** ${changesInWords(groups)}.\n`;
  yield* table("Findings", ["Severity", "What", "Permissions", "Finding", "Fix"], found, findingCells);
  yield* table("Changes", ["Change", "What", "How"], groups ?? [], ({ change, name, items, description }) => [
    change,
    `${code(name)} (${items})`,
    code(description, 300),
  ]);
  yield* table(
    "Rules",
    ["Finds access that …", "Rule", "Checked", "Found", "Cannot be judged"],
    countByRule(report, units),
    ({ rule, checked, found: count, unjudged }) => [
      code(rule.sentence),
      code(rule.text),
      withCommas(checked),
      withCommas(count),
      withCommas(unjudged),
    ],
  );
  yield* table(
    "Applications",
    ["Application", "Permissions", "Since", "Last updated"],
    lists.grants ?? [],
    rowOf,
  );
  yield* table(
    "Tokens",
    ["Token", "Permissions", "Since", "Last updated", "Expires"],
    lists.authorizations ?? [],
    (item) => [...rowOf(item), dateText(item.expires_at)],
  );
  yield* table(
    "Credentials",
    ["Credential", "Permissions", "Since", "Last used"],
    lists.credentials ?? [],
    (item) => [...rowOf(item).slice(0, 3), dateText(item.used_at)],
  );
}

/** The most commands of one step. */
const mostCommands = 10;

function findingCells(unit: Unit): readonly string[] {
  const { name, about, items, breadth, findings, actions, severity } = unit;
  const itself = items.length === 1 ? nameOf(items[0]) : `${code(name)} (${about})`;
  return [
    severity ?? "",
    itself,
    breadth.name,
    findings.map(({ measure }) => code(measure, 300)).join("<br>"),
    actions.flatMap((action) => (action.isAlternative ? [] : stepLines(action))).join("<br>"),
  ];
}

/** The lines of a step: its effect, in a code span because it may contain a note, and its commands. */
function stepLines({ effect, commands }: Action): readonly string[] {
  const left = commands.length - mostCommands;
  return [
    `${code(effect, 300)}:`,
    ...commands.slice(0, mostCommands).map((command) => code(command, 400)),
    ...(left <= 0 ? [] : [`and ${withCommas(left)} more`]),
  ];
}

function* table<Row>(
  heading: string,
  titles: readonly string[],
  rows: readonly Row[],
  cellsOf: (row: Row) => readonly string[],
): Generator<string> {
  if (rows.length === 0) return;
  yield `\n## ${heading}\n\n| ${titles.join(" | ")} |\n|${titles.map(() => "---|").join("")}\n`;
  for (const row of rows.slice(0, mostRows)) yield `| ${cellsOf(row).join(" | ")} |\n`;
  if (rows.length > mostRows) {
    yield `\n${withCommas(mostRows)} of ${withCommas(rows.length)} are shown; \`grantctl audit --format csv\` has them all.\n`;
  }
}

function rowOf(item: AuditItem): readonly string[] {
  return [nameOf(item), reachOf(item), dateText(item.created_at), dateText(item.updated_at)];
}

function dateText(date: string | null): string {
  return date === null ? "" : code(dayOf(date));
}

function nameOf(item: AuditItem): string {
  return `${code(item.name)} (${keyOf(item)})`;
}

function reachOf({ scopes, breadth: { name } }: AuditItem): string {
  return scopes === null || scopes.length === 0 ? name : `${name}: ${code(scopesInWords(scopes))}`;
}

/**
 * A code span that is safe in a table. There, an unescaped pipe ends the cell, so each pipe gets a backslash. A
 * backslash that the text itself has before a pipe is written as `\x5c`, because it would escape the added one.
 */
function code(text: string, longest?: number): string {
  const shown = sanitise(cutText(text, longest)).replace(/(\\?)\|/g, (_, backslash: string) =>
    backslash === "" ? String.raw`\|` : String.raw`\x5c\|`,
  );
  if (shown.trim() === "") return "";
  const fence = "`".repeat(1 + Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length)));
  return shown.includes("`") ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}
