// `grantctl doctor`: checks everything that a run depends on, with a hint for each problem.
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { exitCodeOf, QuietExit, riskierKind } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import type { Labelled } from "../../output/labelled.ts";
import { printUnlessPipeClosed } from "../../output/output-stream.ts";
import { addProofOptions, openProof, type ProofOptions } from "../../jobs/proof-token.ts";
import { column, type FieldOf, type Presentation } from "../../output/presentation.ts";
import type { Finding } from "./checks.ts";

export const defineDoctor: Define = (command, act) => {
  addProofOptions(command)
    .description(
      "Check the configuration and its permissions, the keychain, the server, its certificate, the clock, the server type, the account and, with --proof-token-file, the application, and suggest how to fix problems. Never prompts or changes anything.",
    )
    .action(act(run, { configuration: "tolerated" }));
  printsFields(command, doctorPresentation.fields);
  addExamples(command, ["grantctl doctor", "grantctl --profile work doctor --json"]);
};

const doctorPresentation: Presentation<Finding> = {
  fields: ["check", "status", "detail", "fix"] satisfies readonly FieldOf<Finding>[],
  columns: [
    column("CHECK", "check"),
    column("STATUS", "status"),
    column("DETAIL", "detail"),
    column("FIX", "fix"),
  ],
};

async function run(context: Context, options: ProofOptions): Promise<void> {
  const { printer } = context;
  const { checkEverything } = await import("./checks.ts");
  const { token } = await openProof(options, [], context);
  const findings = await checkEverything(context, token);
  const shown = findings.map(({ check, status, detail, fix }) => ({ check, status, detail, fix }));
  await printUnlessPipeClosed(async () => {
    if (printer.format !== "table") return printer.printList(shown, doctorPresentation);
    await printer.printLabelled(shown.map(findingLine));
    const problems = findings.filter(({ status }) => status === "wrong").length;
    await context.stdout.write(`${problems === 0 ? "no problems" : counted(problems, "problem")} found\n`);
  });
  const [first, ...others] = findings.flatMap(({ kind }) => kind ?? []);
  if (first !== undefined) throw new QuietExit(exitCodeOf(others.reduce(riskierKind, first)));
}

/** A finding for a person: a line for its message, and one for its hint. */
function findingLine({ check, status, detail, fix }: Finding): Labelled {
  return {
    label: `${status.padEnd(5)}  ${check}`,
    lines: fix === null ? [detail] : [detail, fix],
    colour: ({ fine: "green", note: "yellow", wrong: "red" } as const)[status],
  };
}
