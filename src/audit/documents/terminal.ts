// The audit on a terminal: a few lines to read at once, the most serious findings with the command for each, and where to
// find the rest.
import { withCommas } from "../../errors/words.ts";
import type { Labelled } from "../../drawing/labelled.ts";
import { textOf } from "../../printing/presentation.ts";
import { relativeDate } from "../../drawing/relative-date.ts";
import { describeChange } from "../changes.ts";
import { commandsOf } from "../findings.ts";
import type { Item } from "../item.ts";
import { accessInWords, breadthInWords, broadCount, countOf, summarise, type Report } from "../report.ts";

/** As many items as fit on a screen. */
const mostItems = 8;
const mostChanges = 10;

const colours = { high: "red", medium: "yellow", low: "green" } as const;

/** The lines, each with its label. */
export function describeReport(report: Report): readonly Labelled[] {
  return [...describeSummary(report), ...describeFindings(report), ...describeChanges(report)];
}

function describeSummary(report: Report): readonly Labelled[] {
  const summary = summarise(report);
  const rules = summary.rules.filter(({ findings }) => findings > 0);
  const found =
    summary.findings === 0
      ? "none"
      : `${withCommas(summary.findings)} at ${countOf(summary.items_with_findings, "item")}: ${rules.map(({ rule, findings }) => `${withCommas(findings)} ${rule}`).join(", ")}`;
  const kinds = summary.change_kinds.filter(({ count }) => count > 0);
  return [
    { label: "account", lines: [`${report.account} at ${report.base_url}`] },
    {
      label: "access",
      lines: [
        `${accessInWords(summary)}; ${withCommas(broadCount(summary))} of them may administer, delete or do everything`,
      ],
    },
    { label: "findings", lines: [found], colour: summary.findings === 0 ? "green" : "yellow" },
    ...(summary.changes === null
      ? []
      : [
          {
            label: "changes",
            lines: [
              kinds.length === 0
                ? "none"
                : kinds.map(({ change, count }) => `${withCommas(count)} ${change}`).join(", "),
            ],
          },
        ]),
  ];
}

function describeFindings({ findings, now }: Report): readonly Labelled[] {
  const shown = findings.items(mostItems).slice(0, mostItems);
  const left = findings.itemCount - shown.length;
  return [
    ...shown.flatMap((item) => {
      const found = findings.of(item);
      const [first] = found;
      if (first === undefined) return [];
      return [
        {
          label: first.severity,
          colour: colours[first.severity],
          lines: [
            describeItem(item, now),
            ...found.map(({ rule, measure }) => `${rule}: ${measure}`),
            ...commandsOf(item, [first]),
          ],
        },
      ];
    }),
    ...(left === 0
      ? []
      : [
          {
            label: "more",
            lines: [`${countOf(left, "more item")}: grantctl audit --output-file audit.html`],
          },
        ]),
  ];
}

function describeItem(
  { resource, id, name, breadth: { name: breadth }, createdAt }: Item,
  now: number,
): string {
  const age = createdAt === null ? null : relativeDate(createdAt, now);
  return `${name} (${resource} ${textOf(id)}): ${breadthInWords(breadth)}${age === null ? "" : `, created ${age}`}`;
}

function describeChanges({ changes }: Report): readonly Labelled[] {
  const shown = (changes ?? []).slice(0, mostChanges);
  const left = (changes ?? []).length - shown.length;
  return [
    ...shown.map((change) => ({
      label: change.change,
      lines: [`${change.name} (${change.resource} ${textOf(change.id)}): ${describeChange(change)}`],
    })),
    ...(left === 0
      ? []
      : [{ label: "more", lines: [`${countOf(left, "more change")}: grantctl audit --format csv`] }]),
  ];
}
