// `grantctl recover show` for an interrupted job of tokens: a row for each token of unknown outcome, and a failure with
// the totals.
import type { Context } from "../../run/context.ts";
import { Failure } from "../../errors/errors.ts";
import { traitsOf } from "../../journal/operations.ts";
import { lineFromHead, commandLine } from "../../jobs/resume-hint.ts";
import { printWhileRead } from "../../printing/output-stream.ts";
import { outcomePresentation, type OutcomeRow, type TokenState } from "./outcome-rows.ts";
import { summaryOf, unknownItems, type Leftover } from "../../journal/leftover.ts";
import { readGivenTokens } from "./given-tokens.ts";
import { checkTokensOf } from "./check-tokens.ts";
import { knownItems } from "./token-states.ts";

/** Prints the outcome of each token of a job; resolves with the failure that the command ends with. */
export async function showJob(leftover: Leftover, context: Context): Promise<Failure> {
  const tokens = unknownItems(leftover).length === 0 ? null : await tokensOfInput(leftover, context);
  const rows = tokens === null ? knownItems(leftover) : await checkTokensOf(leftover, tokens, context);
  await printWhileRead(() => context.printer.printList(rows, outcomePresentation));
  return failureOfItems(rows, leftover, context);
}

/** The tokens on standard input; null where there are none, or where this run's address is not the job's. */
async function tokensOfInput(
  { contents: { head } }: Leftover,
  context: Context,
): Promise<readonly string[] | null> {
  // Reported tokens may be of any application, so no application's credentials can check them.
  if (traitsOf(head.operation).isNeverRepeated) return null;
  return context.address.isAt(head.address) ? readGivenTokens("the tokens of the job", context) : null;
}

/** The failure of the job: `incomplete` where every outcome is known and no token is lost, otherwise `unknown`. */
function failureOfItems(rows: readonly OutcomeRow[], leftover: Leftover, context: Context): Failure {
  const { id, contents } = leftover;
  const { done } = summaryOf(leftover);
  const { head } = contents;
  const count = (...states: readonly TokenState[]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const said = [
    [count("live"), "had no effect: the token is live"],
    [count("gone"), "took effect: the token is gone"],
    [count("lost"), "took effect, and the new value is lost"],
    [count("dead"), "took effect, or was dead before"],
    [count("unproven"), "took effect, or the credentials are wrong: the service does not find the token"],
    [
      count("unknown"),
      traitsOf(head.operation).isNeverRepeated
        ? "may have been accepted, and are not sent again; which of them still live: grantctl token inspect"
        : "not looked at: the input of the job, on standard input, is needed for that",
    ],
  ] as const;
  const parts = said.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  const unanswered =
    rows.length === 0 ? [] : [`${rows.length} of ${head.total} items were sent and not answered`];
  const message = [progressOf(leftover), ...unanswered, ...parts].join("; ");

  const isAllLost = count("lost", "dead") > 0 && count("lost", "dead") === head.total - done;
  const isOver = traitsOf(head.operation).isNeverRepeated && count("unknown") === head.total - done;
  const hint = isOver
    ? `when this is settled: ${commandLine("recover", "forget", id)}`
    : isAllLost
      ? `create new tokens to replace the lost ones; then: ${commandLine("recover", "forget", id)}`
      : resumeHint(leftover, context);
  const isKnown = count("lost", "dead", "unproven", "unknown") === 0;
  return new Failure(isKnown ? "incomplete" : "unknown", message, { hint });
}

/** A sentence on how many items of an interrupted job are done. */
export function progressOf(leftover: Leftover): string {
  const { head } = leftover.contents;
  const { done, failed, toGo } = summaryOf(leftover);
  const unchanged = failed === 0 ? "" : `, ${failed} failed`;
  return `the job ${head.operation} at ${head.address} was interrupted: ${done} of ${head.total} done${unchanged}, ${toGo} to go`;
}

/** The hint with the command that continues the job. */
export function resumeHint({ id, contents }: Leftover, context: Context): string {
  return `${contents.ids === null ? "continue it with the same input" : "continue it"}: ${lineFromHead(context, contents, id)}`;
}
