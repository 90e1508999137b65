// `grantctl audit`: reviews grants (operation 1), authorizations (4) and an organization's credential authorizations.
import { Option } from "commander";
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import type { Report } from "../../audit/report.ts";
import type { AuditOptions } from "../../audit/run-audit.ts";
import { parseRules, type WantedRule } from "../../audit/rule-names.ts";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { auditFormats } from "../../config/global-options.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { refuseClosedOutput } from "../../run/refuse-closed-output.ts";
import { rulesSection } from "./rules-section.ts";

export const defineAudit: Define = (command, act) => {
  command
    .description(
      "Report who has access to the account: every grant and authorization with its scopes, age, expiry and note, the risks that the rules find, and what changed since a snapshot.",
    )
    // The global flag, with two more formats.
    .addOption(new Option("--format <format>", "Output format").choices(auditFormats))
    .option("--output-file <file>", "Write the report to a new file; its extension selects the format")
    .option("--save <file>", "Save a snapshot to compare with later")
    .option("--since <file>", "Report changes since this snapshot")
    .option(
      "--fail-on <rules>",
      "Check only these rules, and exit with code 14 if there are findings",
      collectRules,
    )
    .option("--known <file>", "File of known applications (one client ID or name per line)")
    .option(
      "--github-org <name>",
      "Include the credentials that members authorized for this organization (on github.com, only these)",
      parseOrganization,
    )
    .option("--force", "Replace existing files")
    .action(act(run));
  addHelpSection(command, rulesSection);
  explainInherited(command, "--json", "--jq");
  addExamples(command, [
    "grantctl audit",
    "grantctl audit --output-file audit.html",
    "grantctl audit --format md",
    "grantctl audit --save audit.json --quiet --format csv > audit.csv",
    "grantctl audit --jq '.findings[].command'",
    "grantctl audit --fail-on 'older-than=10y,scope=delete_*'",
    "grantctl audit --operator github --github-org lanternfish --fail-on not-used-for=90d",
  ]);
};

/** Checks the name of an organization, which becomes a part of addresses. An audit is of one. */
function parseOrganization(text: string, previous: string | undefined): string {
  if (previous !== undefined)
    throw usageFailure("--github-org can be given only once", "Run one audit per organization.");
  if (/^\w[\w-]{0,99}$/.test(text)) return text;
  throw usageFailure("--github-org is the organization's name in addresses", "--github-org octo-org");
}

function collectRules(text: string, previous: readonly WantedRule[] | undefined): readonly WantedRule[] {
  return [...(previous ?? []), ...parseRules(text)];
}

async function run(context: Context, options: AuditOptions): Promise<void> {
  const { outputFile, save, failOn } = options;
  if (outputFile === undefined && save === undefined && failOn === undefined)
    refuseClosedOutput(context.host);
  const { checkOutputs, deliver, formatOf, openDocument } = await import("../../audit/deliver.ts");
  const { runAudit } = await import("../../audit/run-audit.ts");
  const format = formatOf(options, context);
  await checkOutputs(options, context, format);
  const document = await openDocument(format, context);
  const report = await runAudit(options, context, document?.add);
  await deliver(report, document, options, context, format);
  if (failOn !== undefined) failOnFindings(report);
}

function failOnFindings({ findings }: Report): void {
  if (findings.count === 0) return;
  const counts = [...findings.byRule].filter(([, count]) => count > 0);
  const words = counts.map(([rule, count]) => `${count} of ${rule.text}`).join(", ");
  throw new Failure("findings", `the audit found what it was to fail on: ${words}`);
}
