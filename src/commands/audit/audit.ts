// `grantctl audit`: reviews grants (operation 1) and authorizations (4).
import { Option } from "commander";
import {
  addExamples,
  explainInherited,
  printsFields,
  type Define,
  type Context,
} from "../../command-line/command.ts";
import type { AuditOptions } from "../../audit/audit.ts";
import { auditFields } from "../../audit/document.ts";
import { parseRules, rulesOfSeverity, type WantedRule } from "../../audit/rules.ts";
import { addHelpSection, section, terms } from "../../command-line/help-sections.ts";
import { auditFormats } from "../../config/global-options.ts";

export const defineAudit: Define = (command, act) => {
  command
    .description(
      "Report who has access to the account, and flag risks. Shows every grant and authorization with its scopes, age, expiration and note. Each finding includes a command that resolves it. With --compare, also shows what changed since an earlier audit.",
    )
    // The global flag, with one more format.
    .addOption(new Option("--format <format>", "Output format").choices(auditFormats))
    .option("--output-file <file>", "Write the report to a new file; its extension selects the format")
    .option("--compare <file>", "Report what changed since the audit whose JSON output is in this file")
    .option(
      "--fail-on <rules>",
      "Apply only these rules, and exit with code 14 if any of them has findings (can be repeated)",
      collectRules,
    )
    .option("--force", "Replace the output file if it exists")
    .action(act(run, { isPaged: true }));
  addHelpSection(command, rulesSection);
  addHelpSection(command, severitySection);
  addHelpSection(command, levelsSection);
  explainInherited(command, "--json", "--jq");
  printsFields(command, auditFields);
  addExamples(command, [
    "grantctl audit",
    "grantctl audit --output-file audit.html",
    "grantctl audit --json > audit.json",
    "grantctl audit --compare audit.json",
    "grantctl audit --jq '.findings[].command' | sort -u",
    "grantctl audit --fail-on 'older-than=10y,scope=delete_*'",
  ]);
};

/** The rules of each severity, from the table of rules. */
const severitySection = section(
  "Severity",
  "An application or token has the severity of its worst finding. Items of equal severity are sorted by access level, broadest first.",
  terms({
    high: rulesOfSeverity("high").join(", "),
    "by access level": `${rulesOfSeverity("by-access").join(", ")}. The severity is high for admin, delete or everything; medium for write; low for read-only or none, and for an old grant whose tokens are all newer`,
    low: rulesOfSeverity("low").join(", "),
  }),
);

function collectRules(text: string, previous: readonly WantedRule[] | undefined): readonly WantedRule[] {
  return [...(previous ?? []), ...parseRules(text)];
}

async function run(context: Context, options: AuditOptions): Promise<void> {
  const { runAudit } = await import("../../audit/audit.ts");
  await runAudit(options, context);
}

const levelsSection = section(
  "Access levels",
  "An item has the level of its broadest scope:",
  terms({
    everything: "All repositories, or the whole site: repo, site_admin, admin:enterprise",
    delete: "delete_repo, delete:packages and other scopes that allow deletion",
    admin: "admin:org, admin:repo_hook and other scopes that allow administration",
    write: "user, gist, workflow, write:packages and other scopes that allow changes",
    "read-only": "read:org, user:email, repo:status and other scopes that only allow reading",
    none: "No scopes",
  }),
);

const rulesSection = section(
  "Rules",
  "By default, every rule except no-fingerprint is applied if the server provides the data that the rule needs, and findings do not change the exit code. With --fail-on, only the rules that it names (separated by commas) are applied, and the exit code is 14 if any of them has a finding. Whenever a rule is applied, an item without the data that the rule needs counts as a finding.",
  terms({
    "older-than=1y": "Created more than a year ago; takes an age (90d, 12h, 2w, 1y) or a date (2026-01-31)",
    "not-updated-for=180d": "Not updated for 180 days",
    "no-expiry": "Never expires, although at least one other token does",
    "expires-within=30d": "Expires within 30 days, or has expired",
    "scope=admin:*": "Has a matching scope (* matches any text); scope=delete* is also applied by default",
    "no-note": "Authorization without a note",
    "no-fingerprint": "Authorization without a fingerprint",
    "duplicate-note": "More than one authorization has the same note",
    new: "Token not in the earlier audit of --compare; low severity if it replaces one with the same note and scopes",
    widened: "Has scopes that it did not have in the earlier audit of --compare",
  }),
);
