// `grantctl token inspect`: asks about each token with the token alone. One after the other, because after many bad
// tokens services refuse good ones, too.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { exitCodeOf, QuietExit, type Failure } from "../../errors/errors.ts";
import { parseAge, parseInstant, type Age } from "../../lists/age.ts";
import { printWhileRead } from "../../printing/output-stream.ts";
import { withPlaces } from "../../reports/places.ts";
import { inspectedTokenPresentation, type InspectedToken } from "../../printing/tokens.ts";
import { inspect, stopped, throwWorst } from "./inspect-one.ts";
import { readTokens } from "./read-tokens.ts";
import { addTokenInput, type TokenInputOptions } from "./token-input.ts";

interface InspectOptions extends TokenInputOptions {
  readonly expiresWithin?: Age;
}

export const defineInspect: Define = (command, act) => {
  addTokenInput(command)
    .option(
      "--expires-within <age>",
      "only what expires within this time: 30d, 12h, or before 2026-01-31",
      (text) => parseAge("--expires-within", text),
    )
    .summary("tell what tokens say of themselves: alive, whose, which scopes, until when")
    .description(
      "Ask the service for the user behind each token, with the token itself and no other credentials. What the service does not say is left empty.",
    )
    .action(act(run));
  addExamples(command, [
    "grantctl token inspect < token.txt",
    "grantctl token inspect --token-file tokens.txt --expires-within 30d --json token_last_eight,expires_at",
  ]);
};

async function run(context: Context, options: InspectOptions): Promise<void> {
  const { printer, notices } = context;
  printer.checkFields(withPlaces(inspectedTokenPresentation, false));
  const given = await readTokens(options, context, {
    word: "token",
    // The token itself is the credential: no others are needed.
    logIn: null,
  });
  const { tokens, sourcesOf } = given;
  const presentation = given.placed(inspectedTokenPresentation);
  const end = options.expiresWithin?.pointAfter(context.host.now()) ?? null;
  const isOnlyOne = tokens.length === 1 && end === null && printer.format !== "ndjson";
  const list = isOnlyOne ? null : printer.openList(presentation);
  const problems: Failure[] = [];
  let inspected = 0;
  let unread = 0;
  let stop: Failure | null = null;
  for (const token of tokens) {
    const { row, problem } = await inspect(token, context);
    if (problem !== null) problems.push(problem);
    if (row === null) {
      stop = problem;
      break;
    }
    inspected += 1;
    const whole = { ...row, ...sourcesOf(token) };
    const print = async (): Promise<void> => {
      if (list === null) await printer.printItem(whole, presentation);
      else if (end === null || expiresBefore(row, end)) await list.add([whole]);
    };
    const hasReader = await printWhileRead(print);
    // Nothing is known of the rest, so the exit code is not 0.
    if (!hasReader && inspected < tokens.length) throw new QuietExit(exitCodeOf("incomplete"));
    if (end !== null && isUnread(row)) unread += 1;
  }
  if (stop !== null && tokens.length > 1) throw stopped(stop, inspected, tokens.length);
  if (unread > 0) {
    notices.warn(`${unread} printed without knowing when: the service writes the date in an unknown format`);
  }
  if (tokens.length === 0) notices.note("no token to inspect");
  if (stop === null && list !== null) await printWhileRead(() => list.end());
  throwWorst(problems, tokens.length);
}

/** Whether a token expires before `end`; yes for a time that cannot be read, which may be soon. */
function expiresBefore(row: InspectedToken, end: number): boolean {
  const point = parseInstant(row.expires_at);
  return isUnread(row) || (point !== null && point < end);
}

/** Whether the service names an expiry time in a form that is not understood. */
function isUnread({ expires_at }: InspectedToken): boolean {
  return expires_at !== null && parseInstant(expires_at) === null;
}
