// `grantctl help exit-codes`, from the one table of exit codes (errors/errors.ts).
import { exitCodeMeanings } from "../../../errors/exit-codes.ts";
import { examples, section, terms, type Section } from "../page.ts";

const rows = exitCodeMeanings().map(({ code, kind, meaning, changed }) => {
  const name = kind === "" ? code : `${code} ${kind}`;
  return [name, changed === "no" ? meaning : `${meaning} (changed: ${changed})`] as const;
});
export const exitCodesSections: readonly Section[] = [
  section(
    null,
    "A run ends with one code, and the code says whether anything changed at the service: nothing did, unless its line says so. The word after the number is the class of the error, which --json prints.",
  ),
  section("Codes", terms(rows)),
  section(
    "When several things go wrong",
    "The riskier one decides: 13, then 12, then 9, then the rest. --json never changes a code. A reader that has seen enough of a list (as in: grantctl grant list | head -1) ends it quietly with 0, and a check of many tokens with 9.",
  ),
  section(
    "Errors as JSON",
    'With --json or --jq an error is one object on standard error: {"error": {"class", "message", "status", "exit_code", "hint"}}.',
  ),
  section(
    "Examples",
    examples(
      'TOKEN=$(grantctl authorization create --note "ci $(hostname)") || exit',
      'grantctl grant view 42 > grant.txt || echo "it ended with $?"',
    ),
  ),
];
