// The audit on a terminal: a short summary, the five worst with a command each, and a small histogram of age by
// permission.
import type { Labelled } from "../drawing/labelled.ts";
import { withCommas } from "../errors/words.ts";
import { severitiesInWords } from "./findings.ts";
import { accessOfUnits, countByRule, reasonsOf, unitsOf, type Unit } from "./access.ts";
import { ageByPermission, oldFrom } from "./ages.ts";
import { changesInWords, groupChanges, type ChangeGroup } from "./changes.ts";
import { breadthInWords, countOf, missingInWords, type Report } from "./report.ts";

const mostUnits = 5;
const mostChanges = 8;
const barWidth = 24;

const colours = { high: "red", medium: "yellow", low: "green" } as const;

/** The lines, each with its label. */
export function describeReport(report: Report): readonly Labelled[] {
  const units = unitsOf(report);
  const missing = missingInWords(report);
  const rules = countByRule(report, units).map(
    ({ rule, checked, found, unjudged }) =>
      `${rule.sentence}: ${withCommas(found)} of ${withCommas(checked)}${unjudged === 0 ? "" : ` (${withCommas(unjudged)} cannot be judged)`}`,
  );
  const changes = report.changes === null ? null : groupChanges(report.changes, report.replaced);
  return [
    { label: "account", lines: [`${report.account} at ${report.base_url}`] },
    ...(missing === null ? [] : [{ label: "warning", lines: [missing], colour: "red" as const }]),
    { label: "access", lines: [accessOfUnits(units)] },
    {
      label: "findings",
      lines: [
        report.findings.count === 0 ? `none by ${countOf(rules.length, "rule")}` : severitiesInWords(units),
      ],
      colour: report.findings.count === 0 && missing === null ? "green" : "yellow",
    },
    ...(changes === null ? [] : [{ label: "changes", lines: [changesInWords(changes)] }]),
    ...describeWorst(units),
    ...describeChanges(changes ?? []),
    { label: "rules", lines: rules },
    ...describeAges(units, report.now),
  ];
}

function describeWorst(units: readonly Unit[]): readonly Labelled[] {
  const found = units.filter(({ severity }) => severity !== null);
  const shown = found.slice(0, mostUnits);
  const left = found.length - shown.length;
  return [
    ...shown.map((unit) => ({
      label: unit.severity ?? "low",
      colour: colours[unit.severity ?? "low"],
      lines: [
        `${unit.name} (${unit.about}): ${unit.facts}`,
        ...reasonsOf(unit, () => true),
        ...(unit.actions[0]?.commands.slice(0, 1) ?? []).map((command) => `fix: ${command}`),
      ],
    })),
    ...(left === 0
      ? []
      : [{ label: "more", lines: [`${withCommas(left)} more: grantctl audit --output-file audit.html`] }]),
  ];
}

function describeChanges(groups: readonly ChangeGroup[]): readonly Labelled[] {
  const left = groups.length - mostChanges;
  return [
    ...groups.slice(0, mostChanges).map(({ change, name, items, description }) => ({
      label: change,
      lines: [`${name} (${items}): ${description}`],
    })),
    ...(left <= 0
      ? []
      : [{ label: "more", lines: [`${countOf(left, "more change")}: grantctl audit --format csv`] }]),
  ];
}

/** A bar per permission: solid for items older than a year, light for newer ones. */
function describeAges(units: readonly Unit[], now: number): readonly Labelled[] {
  const rows = ageByPermission(units, now);
  const most = Math.max(1, ...rows.map(({ total }) => total));
  const lines = rows.map(({ breadth, counts, total }) => {
    const old = counts.slice(oldFrom).reduce((sum, count) => sum + count, 0);
    const [full, whole] = [old, total].map((count) => Math.ceil((count / most) * barWidth));
    const bar = "█".repeat(full ?? 0).padEnd(whole ?? 0, "░");
    return `${breadthInWords(breadth).padEnd(10)} ${bar} ${withCommas(total)}`;
  });
  return lines.length === 0 ? [] : [{ label: "age", lines: [...lines, "█ older than 1 year  ░ newer"] }];
}
