// `grantctl auth status`: where each part of the credentials would come from, and the places that come after it. Shows
// no secret, runs no command, and asks only the secret stores.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { QuietExit } from "../../errors/errors.ts";
import { sanitise } from "../../output/sanitise.ts";
import { loginInWords } from "./login-in-words.ts";
import { describeRow, statusPresentation } from "./status-row.ts";
import { statusRows } from "./status-rows.ts";

/** The exit code of any run without credentials. */
const noCredentialsCode = 4;

export const defineStatus: Define = (command, act) => {
  command
    .summary("explain the credentials: from where, for whom, in which store")
    .description(
      "Show for each part of the credentials every place it may come from, in order, and which one wins. Never shows a secret, and sends nothing. Exits with 4 when there are neither an account's credentials nor an application's.",
    )
    .action(act(run));
  addExamples(command, ["grantctl auth status", "grantctl --profile work auth status --json"]);
};

async function run(context: Context): Promise<void> {
  context.printer.checkFields(statusPresentation);
  const { rows, hasCredentials } = await statusRows(context);
  if (context.printer.format === "table") {
    await context.stdout.write(`${sanitise(loginInWords(rows))}\n`);
    await context.printer.printLabelled(rows.map(describeRow));
    context.notices.note("of the places in brackets the first one wins");
  } else await context.printer.printList(rows, statusPresentation);
  if (!hasCredentials) throw new QuietExit(noCredentialsCode);
}
