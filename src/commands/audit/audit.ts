// `grantctl audit`: reviews grants and authorizations.
import { Option } from "commander";
import { addExamples, addNote, printsFields, type Define } from "../../command-line/command.ts";
import { runAudit } from "../../audit/audit.ts";
import { auditPresentation } from "../../audit/rows.ts";
import { parseRule, ruleMeanings, usualRules, type Rule } from "../../audit/rules.ts";
import { auditFormats } from "../../config/global-options.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Report who has access to the account, and flag risks: a row for each grant and authorization, the worst application first, with its access, age, findings and a command. With --compare, also what is new, widened or gone since an earlier audit.",
    )
    // The global flag, with one more format.
    .addOption(new Option("--format <format>", "Output format").choices(auditFormats))
    .option("--output-file <file>", "Write the report to a new file; its extension selects the format")
    .option("--compare <file>", "Compare with the audit whose JSON output is in this file")
    .option(
      "--fail-on <rules>",
      "Apply only these rules, and exit with code 14 if any of them has findings (can be repeated)",
      (text, previous: readonly Rule[] | undefined) => [
        ...(previous ?? []),
        ...text.split(",").map((word) => parseRule(word.trim())),
      ],
    )
    .option("--force", "Replace the output file if it exists")
    .action(act(runAudit, { formats: auditFormats, isPaged: true }));
  addNote(
    command,
    "Rules",
    `By default, these rules are applied, as far as the server reports data, and findings do not change the exit code: ${usualRules.join(", ")}. With --fail-on, only the rules that it names (separated by commas) are applied. An item without the data that a rule needs is a finding of that rule. What grantctl itself uses has the finding in-use, what is gone the finding gone, and what the lists lack without proof the finding unproven; none of these changes the exit code.`,
    ruleMeanings(),
  );
  addNote(command, "Access", "An item has the access of its broadest scope:", {
    admin: "repo, site_admin, admin:org, delete_repo and other scopes of whole accounts, or for deletion",
    write: "Any other scope",
    "read-only": "read:org, user:email, repo:status and other scopes that only allow reading",
    none: "No scopes",
  });
  printsFields(command, auditPresentation.fields);
  addExamples(command, [
    "grantctl audit",
    "grantctl audit --output-file audit.html",
    "grantctl audit --json > audit.json",
    "grantctl audit --compare audit.json",
    "grantctl audit --jq '.[].command | values'",
    "grantctl audit --fail-on 'older-than=10y,scope=delete_*'",
  ]);
};
