// `grantctl auth status`: where each part of the credentials would come from, and the places that come after it. Shows
// no secret, runs no command, and asks only the secret stores.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { exitCodeOf, QuietExit } from "../../errors/errors.ts";
import { printWhileRead } from "../../output/output-stream.ts";
import { sanitise } from "../../output/sanitise.ts";
import { describeRow, statusPresentation, isReady, type StatusRow } from "./status-row.ts";
import { statusRows } from "./status-rows.ts";

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
  await printWhileRead(async () => {
    if (context.printer.format === "table") {
      await context.stdout.write(`${sanitise(loginInWords(rows))}\n`);
      await context.printer.printLabelled(rows.map(describeRow));
      context.notices.note("of the places in brackets the first one wins");
    } else await context.printer.printList(rows, statusPresentation);
  });
  if (!hasCredentials) throw new QuietExit(exitCodeOf("authentication"));
}

/** The first line: one sentence on who is logged in where, without a full stop. */
function loginInWords(rows: readonly StatusRow[]): string {
  const row = (setting: string): StatusRow | undefined => rows.find((one) => one.setting === setting);
  const address = row("base_url")?.value ?? null;
  const where = address === null ? "" : ` to ${address}`;
  const secrets = [
    { secret: row("password"), user: row("username")?.value, whose: "" },
    { secret: row("client_secret"), user: row("client_id")?.value, whose: "the application " },
  ];
  for (const { secret, user, whose } of secrets) {
    if (secret === undefined || !isReady(secret) || user === undefined || user === null) continue;
    if (address === null) return `not logged in: ${whose}${user} has a secret, but there is no address`;
    return `logged in${where} as ${whose}${user}, ${placeOf(secret)}`;
  }
  const token = row("token");
  if (token !== undefined && isReady(token)) {
    return address === null
      ? "not logged in: there is a token, but no address"
      : `logged in${where} with a token, ${placeOf(token)}`;
  }
  return `not logged in${where}`;
}

/** The place where a secret is kept or comes from, as the end of a sentence. */
function placeOf({ setting, source, chain }: StatusRow): string {
  const what = `the ${setting.replace("_", " ")}`;
  if (source === "keychain") return `${what} is kept in the keychain`;
  if (source === "file") return `${what} is kept in a file`;
  const name = chain.find((place) => place.source === source && place.state === "set")?.name ?? "";
  if (source === "profile") return `${what} comes from the profile's ${name}`;
  return `${what} comes from ${name === "" ? (source ?? "nowhere") : name}`;
}
