// What `grantctl recover show` says of an interrupted job of tokens: a row for each of unknown outcome, and what that
// means for the job.
import type { Context } from "../../run/context.ts";
import { Failure } from "../../errors/errors.ts";
import type { Leftover } from "../../journal/journals.ts";
import { resumption } from "../../journal/resumption.ts";
import { foundItemPresentation, type FoundItem, type FoundState } from "./found-items.ts";
import { unknownItems } from "./leftover-rows.ts";
import { knownItems, lookAtItems } from "./look-at-items.ts";

/** Prints what became of each token of a job; the failure that says what that means for the job. */
export async function showJob(leftover: Leftover, context: Context): Promise<Failure> {
  const tokens = unknownItems(leftover).length === 0 ? null : await tokensOfInput(leftover, context);
  const rows = tokens === null ? knownItems(leftover) : await lookAtItems(leftover, tokens, context);
  await context.printer.printList(rows, foundItemPresentation);
  return failureOfItems(rows, leftover);
}

/** The tokens on standard input; null where there are none, or the service is another. */
async function tokensOfInput(
  { contents: { head } }: Leftover,
  context: Context,
): Promise<readonly string[] | null> {
  if (context.standardInput.isTerminal || !context.address.isAt(head.address)) return null;
  const text = await context.standardInput.read("the tokens of the job");
  if (text.trim() === "") return null;
  const { readItems } = await import("../../bulk/read-items.ts");
  const tokens = readItems(text, "token");
  for (const token of tokens) context.redactor.add(token);
  return tokens;
}

/** `incomplete` when it is known of every item what became of it, and nothing is lost; else `unknown`. */
function failureOfItems(rows: readonly FoundItem[], { id, path, contents }: Leftover): Failure {
  const { head, items } = contents;
  const count = (...states: readonly FoundState[]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const said = [
    [count("live"), "had no effect: the token is live"],
    [count("gone"), "took effect: the token is gone"],
    [count("lost"), "took effect, and the new value is lost"],
    [count("unproven"), "took effect, or the credentials are wrong: the service does not find the token"],
    [count("unknown"), "not looked at: the input of the job, on standard input, is needed for that"],
  ] as const;
  const parts = said.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  const message = `the job ${head.operation} at ${head.address} was interrupted; ${rows.length} of ${head.total} items were sent and not answered${parts.map((part) => `; ${part}`).join("")}`;

  const done = [...items.values()].filter(({ state }) => state === "done").length;
  const isAllLost = count("lost") > 0 && count("lost") === head.total - done;
  const hint = isAllLost
    ? `make new tokens in the place of those that are lost; then: grantctl recover forget ${id}`
    : `give the job ${resumption(head, path)}`;
  return new Failure(count("lost", "unproven", "unknown") > 0 ? "unknown" : "incomplete", message, { hint });
}
