// `grantctl recover show`: the token that an earlier run kept, or what is known of a request that was never answered.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { usageFailure } from "../../errors/errors.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import type { Entry } from "../../journal/entries.ts";
import { isJob } from "../../journal/operations.ts";
import { delivering } from "../../printing/undelivered.ts";
import { findLeftover } from "./find-leftover.ts";
import { undeliveredValues, unknownItems } from "../../journal/leftover.ts";
import { isAboutTokens } from "./token-states.ts";
import { addToCommand } from "../../delivery/receiver.ts";
import { showJob } from "./show-job.ts";
import { whatIsKnown } from "./what-is-known.ts";
import { toJson } from "../../json/exact-json.ts";
import { present } from "../../printing/presentation.ts";
import { sanitiseJson } from "../../drawing/sanitise.ts";
import { keptValueSchema, type KeptValue } from "./outcome-rows.ts";

export const defineShow: Define = (command, act) => {
  command
    .summary("Show a kept token value, or check an unknown result")
    .description(
      "Print the token value that an earlier run kept, or one JSON object per line for several. If the result of a request is unknown, check with the service; for tokens, provide the old token on standard input, or the whole input of a job. The value is kept until you run `grantctl recover forget`, or until --to-command has accepted it.",
    )
    .argument("<id>", "ID from `grantctl recover list`")
    .action(act(run, { announces: false }));
  addToCommand(command, "give what is kept, and forget it once it is accepted,");
  explainInherited(command, "--json", "--jq", "--no-input");
  addExamples(command, [
    "grantctl recover show 20260131-120000-a1b2c3",
    "grantctl recover show 20260131-120000-a1b2c3 --to-command 'pass insert -m ci/token'",
    "grantctl recover show 20260131-120000-a1b2c3 < old-token.txt",
  ]);
};

interface ShowOptions {
  readonly toCommand?: string;
}

async function run(context: Context, id: string, { toCommand }: ShowOptions): Promise<void> {
  context.printer.checkFields(keptValuePresentation);
  const { journals, leftover: found } = await findLeftover(id, context);
  const leftover = await journals.unseal(found);
  const values = undeliveredValues(leftover);
  const [only] = values;
  const { head } = leftover.contents;
  if (toCommand !== undefined) {
    if (only === undefined)
      throw usageFailure(`no value is kept in ${leftover.id}`, commandLine("recover", "show", leftover.id));
    const { deliverValues } = await import("./deliver-values.ts");
    await deliverValues(leftover, toCommand, context);
    return;
  }
  if (only === undefined && isJob(head) && isAboutTokens(head.operation)) {
    throw await showJob(leftover, context);
  }
  if (only !== undefined) {
    context.printer.checkCanDeliver();
    await delivering(() => printValues(values, only, head.total === 1, context));
    const unknown = unknownItems(leftover);
    if (unknown.length > 0) context.notices.warn(unansweredToo(unknown));
    const isSealed = leftover !== found;
    context.notices.note(
      `kept ${isSealed ? "encrypted" : "unencrypted"} in ${leftover.path}, which only you can read; when it is safe: ${commandLine("recover", "forget", leftover.id)}`,
    );
    return;
  }
  throw await whatIsKnown(leftover, context);
}

/** The warning about items without an answer, by the last eight characters of their tokens. */
function unansweredToo(unknown: readonly Entry[]): string {
  const lastEights = unknown.flatMap(({ last_eight: lastEight }) => lastEight ?? []);
  const which = lastEights.length === 0 ? "" : ` (tokens ending in ${lastEights.join(", ")})`;
  return `${unknown.length} more items were sent and not answered${which}: their outcome is unknown`;
}

/** For JSON alone: without it, the token is printed by itself. */
const keptValuePresentation = present(keptValueSchema, []);

/** Prints a single token alone, several as an object a line; or all in the JSON that was asked for. */
async function printValues(
  values: readonly KeptValue[],
  first: KeptValue,
  isOnlyOne: boolean,
  { printer, stdout }: Context,
): Promise<void> {
  if (printer.isJson && isOnlyOne) await printer.printItem(first, keptValuePresentation);
  else if (printer.isJson) await printer.printList(values, keptValuePresentation);
  else {
    const text = isOnlyOne ? `${first.token}\n` : values.map((value) => `${toJson(value, 0)}\n`).join("");
    await stdout.write(stdout.isTerminal ? sanitiseJson(text) : text);
  }
}
