// The audit on a terminal: a short summary, the five worst entries with the steps that fix them, a line for each further
// unit of high severity, and a small histogram of age by permission.
import type { Labelled } from "../drawing/labelled.ts";
import { withCommas } from "../errors/words.ts";
import { quoteWord } from "../printing/complete-commands.ts";
import { severitiesInWords } from "./findings.ts";
import {
  accessOfUnits,
  countByRule,
  findingsInWords,
  reasonsOf,
  unitsOf,
  type RuleCount,
  type Unit,
} from "./access.ts";
import { commandsOfMany, type Action } from "./actions.ts";
import { ageByPermission, oldFrom } from "./ages.ts";
import { changesInWords, groupChanges, type ChangeGroup } from "./changes.ts";
import { groupUnits, reasonsOfUnit, type Entry } from "./entries.ts";
import { keyOf } from "./items.ts";
import {
  aboutUpdates,
  breadthInWords,
  countOf,
  idleRulesInWords,
  levelInWords,
  missingInWords,
  type Report,
} from "./report.ts";

const mostEntries = 5;
/** The most further units with high severity that are listed, with a line each. */
const mostHigh = 15;
const mostChanges = 8;
const barWidth = 24;

const colours = { high: "red", medium: "yellow", low: "green" } as const;

/** The most commands of one step. */
const mostCommands = 5;
const blank: Labelled = { label: "", lines: [""] };

/** The lines, each with its label. `complete` adds the profile and base URL of this run to a command. */
export function describeReport(report: Report, complete: (command: string) => string): readonly Labelled[] {
  const units = unitsOf(report);
  const missing = missingInWords(report);
  const rules = countByRule(report, units);
  const changes = report.comparison === null ? null : groupChanges(report.comparison);
  const again = (flag: string, value: string): string => complete(auditCommand(report, flag, value));
  const hasFindings = report.findings.count > 0;
  const findings = hasFindings
    ? `${severitiesInWords(units)} (${findingsInWords(units).replace(/^A/, "a")})`
    : `none (${countOf(rules.length, "rule")})`;

  const lines: Labelled[] = [{ label: "account", lines: [`${report.account} at ${report.base_url}`] }];
  if (missing !== null) lines.push({ label: "warning", lines: [missing], colour: "red" });
  lines.push({ label: "access", lines: [accessOfUnits(units)] });
  const colour = hasFindings || missing !== null ? "yellow" : "green";
  lines.push({ label: "findings", lines: [findings], colour });
  if (changes !== null) lines.push({ label: "changes", lines: [changesInWords(changes)] });
  lines.push(
    blank,
    ...describeWorst(units, [again("--output-file", "audit.html"), again("--format", "csv")]),
  );
  if (changes !== null) lines.push(...describeChanges(changes, again("--format", "csv")));
  lines.push({ label: "rules", lines: [...describeRules(rules), ...explainRules(report)] });
  if (report.flags["--fail-on"] === undefined) lines.push(...describeAges(units, report.now));
  return lines;
}

/**
 * The limits of the rules, and the rules that could not run. With --fail-on, the user chose the rules, so others are not
 * listed.
 */
function explainRules(report: Report): readonly string[] {
  const { findings, flags } = report;
  const hasUpdates = findings.rules.some(({ rule }) => rule.name === "not-updated-for");
  return [
    hasUpdates ? aboutUpdates : "",
    flags["--fail-on"] === undefined ? idleRulesInWords(report) : "",
  ].filter((line) => line !== "");
}

function describeRules(rules: readonly RuleCount[]): readonly string[] {
  return rules.map(({ rule, checked, found, unjudged }, index) => {
    const what = index === 0 ? " applications and personal tokens" : "";
    const more = unjudged === 0 ? "" : ` (${withCommas(unjudged)} cannot be judged)`;
    return `${rule.sentence}: ${withCommas(found)} of ${withCommas(checked)}${what}${more}`;
  });
}

function describeWorst(units: readonly Unit[], inFull: readonly string[]): readonly Labelled[] {
  const found = units.filter(({ severity }) => severity !== null);
  const entries = groupUnits(found);
  const rest = entries.slice(mostEntries).flat();
  const alsoHigh = rest.filter(({ severity }) => severity === "high").slice(0, mostHigh);
  const left = rest.filter((unit) => !alsoHigh.includes(unit));
  const lines = entries.slice(0, mostEntries).flatMap((entry) => [...describeEntry(entry), blank]);
  for (const unit of alsoHigh) {
    const access = `${unit.name} (${unit.about}): ${levelInWords(unit.breadth.name)}`;
    const text = `${access}; ${reasonsOfUnit(unit).join("; ")}`;
    lines.push({ label: "high", colour: colours.high, lines: [text] });
  }
  if (alsoHigh.length > 0) lines.push(blank);
  if (rest.length === 0) return lines;
  const what =
    left.length === 0
      ? "the commands for these"
      : `${withCommas(left.length)} more (${severitiesInWords(left)})`;
  lines.push({ label: "more", lines: [`${what}, on a page or as rows:`] }, asOne(inFull), blank);
  return lines;
}

function describeEntry(entry: Entry): readonly Labelled[] {
  const [unit] = entry;
  const label = unit.severity ?? "low";
  const colour = colours[label];
  if (entry.length === 1) {
    return [
      {
        label,
        colour,
        lines: [`${unit.name} (${unit.about}): ${unit.facts}`, ...reasonsOf(unit, () => true)],
      },
      // A personal token can also be deleted, which its owner alone can decide.
      ...unit.actions
        .filter(({ isAlternative }) => !isAlternative || unit.kind === "token")
        .flatMap(describeStep),
    ];
  }
  return [
    {
      label,
      colour,
      lines: [
        `${countOf(entry.length, "application")} with ${levelInWords(unit.breadth.name)} and similar findings`,
        ...entry.map((one) => `${one.name} (${keyOf(one.items[0])}): ${reasonsOfUnit(one).join("; ")}`),
        "fix: delete these grants with all their tokens (leave out the IDs of what is still needed)",
      ],
    },
    asOne(commandsOfMany(entry.flatMap(({ actions }) => actions[0]?.deletedGrant ?? []))),
  ];
}

/** The command of the same audit, with one more flag. */
function auditCommand({ flags }: Report, more: string, moreValue: string): string {
  const words = Object.entries({ ...flags, [more]: moreValue }).flatMap(([flag, value]) =>
    value === undefined ? [] : `${flag} ${quoteWord(value)}`,
  );
  return ["grantctl audit", ...words].join(" ");
}

/** A step with its commands, which the terminal wraps, so that a copied one is complete. */
function describeStep({ effect, commands, isAlternative }: Action): readonly Labelled[] {
  const left = commands.length - mostCommands;
  const lines: Labelled[] = [{ label: "", lines: [`${isAlternative ? "or" : "fix"}: ${effect}`] }];
  if (commands.some((command) => command.includes("${NOTE:?")))
    lines.push({ label: "", lines: ["(first set NOTE, to a different note for each token)"] });
  lines.push(asOne(commands.slice(0, mostCommands)));
  if (left > 0) lines.push({ label: "", lines: [`and ${countOf(left, "more command")}`] });
  return lines;
}

function asOne(lines: readonly string[]): Labelled {
  return { label: "", lines, isWhole: true };
}

function describeChanges(groups: readonly ChangeGroup[], restCommand: string): readonly Labelled[] {
  const left = groups.length - mostChanges;
  const lines: Labelled[] = groups.slice(0, mostChanges).map(({ change, name, items, description }) => ({
    label: change,
    lines: [`${name} (${items}): ${description}`],
  }));
  if (left > 0)
    lines.push({ label: "more", lines: [`${countOf(left, "more change")}:`] }, asOne([restCommand]));
  return lines;
}

/** A bar per permission: solid for items older than a year, light for newer ones. */
function describeAges(units: readonly Unit[], now: number): readonly Labelled[] {
  const rows = ageByPermission(units, now);
  const most = Math.max(1, ...rows.map(({ total }) => total));
  const lines = rows.map(({ breadth, counts, total }) => {
    const old = counts.slice(oldFrom).reduce((sum, count) => sum + count, 0);
    const width = Math.ceil((total / most) * barWidth);
    const full = Math.round((old / total) * width);
    const bar = "█".repeat(full).padEnd(width, "░");
    return `${breadthInWords(breadth).padEnd(10)} ${bar} ${withCommas(old)} of ${withCommas(total)}`;
  });
  if (lines.length === 0) return [];
  return [{ label: "age", lines: [...lines, "█ tokens created more than 1 year ago  ░ since then"] }];
}
