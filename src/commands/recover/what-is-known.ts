// `grantctl recover show` without a kept token: how far a job got, or the outcome of a single request that was sent and
// not answered, which is checked at the service. Changes nothing.
import { commandLine } from "../../jobs/resume-hint.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import type { Entry, RunToken } from "../../journal/entries.ts";
import { isJob } from "../../journal/operations.ts";
import { isCommandRunning, runTokenOf, unknownItems, type Leftover } from "../../journal/leftover.ts";
import type { Context } from "../../run/context.ts";
import { readGivenTokens } from "./given-tokens.ts";
import { progressOf, resumeHint } from "./show-job.ts";
import { foreign } from "../../errors/foreign.ts";
import { shorten } from "../../errors/words.ts";

/** The failure that says what is known, what is not, and which command helps. */
export async function whatIsKnown(leftover: Leftover, context: Context): Promise<Failure> {
  const { head } = leftover.contents;
  const orphan = runTokenOf(leftover);
  if (orphan !== null) return orphanFailure(orphan, leftover, context);
  const unknown = unknownItems(leftover);
  if (isJob(head)) {
    const rest =
      unknown.length === 0
        ? ""
        : `; ${unknown.length} of ${head.total} items were sent and not answered; the job looks at each before it continues`;
    const said = [`${progressOf(leftover)}${rest}`, ...rotationSteps(leftover)].join("; ");
    return new Failure(unknown.length === 0 ? "incomplete" : "unknown", said, {
      hint: resumeHint(leftover, context),
    });
  }
  const lastEight = unknown[0]?.last_eight;
  const which = lastEight === undefined ? "" : ` the token ending in ${lastEight}`;
  const where = `at ${head.address} on ${head.created_at}`;
  const replaces = unknown[0]?.replaces;
  const isDamaged = head.operation === "unknown";
  const what = isDamaged
    ? `what this damaged journal was for cannot be read any more: ${unknown.length} of ${head.total} items were sent and not answered`
    : replaces === undefined
      ? `the request to ${head.operation}${which} ${where} was sent and not answered`
      : `the replacement of authorization ${replaces.id} ${where} was begun, and its end is not known`;
  const known =
    (await look(leftover, context)) ?? unknown[0]?.known ?? "nobody has checked since whether it took effect";
  return new Failure("unknown", `${what}; ${known}`, {
    hint: `when this is settled: ${commandLine("recover", "forget", leftover.id)}`,
  });
}

/** The failure for the token of an interrupted `authorization run`. */
async function orphanFailure(
  { note, id }: RunToken,
  leftover: Leftover,
  { host }: Context,
): Promise<Failure> {
  const token = `the token "${foreign(shorten(note, longestName))}"`;
  if (await isCommandRunning(leftover, host.processes))
    return new Failure("incomplete", `${token} is in use: its command still runs`);
  const what =
    id === undefined
      ? `${token} may exist: its creation was not answered`
      : `${token} (authorization ${id}) was not deleted after its command`;
  return new Failure("incomplete", what, { hint: commandLine("recover", "end", leftover.id) });
}

/** A sentence on what the service shows; null where its check needs a token or credentials that were not given. */
async function look(leftover: Leftover, context: Context): Promise<string | null> {
  const { head, items } = leftover.contents;
  const [entry] = items.values();
  if (entry === undefined || !context.address.isAt(head.address)) return null;
  if (head.operation !== "reset") {
    const { describeFound, findCreated } = await import("../../delivery/created-tokens.ts");
    const { service } = await context.address.accountService();
    const found = await findCreated(service, entry.item, context.options.concurrency);
    if (entry.replaces === undefined) return describeFound(found);
    const { describeReplaced } = await import("../authorization/replaced-authorization.ts");
    return describeReplaced(service, entry.replaces, found);
  }
  const tokens = await readGivenTokens("the old token", context);
  if (tokens === null) return null;
  const { hashOf } = await import("../../journal/hashes.ts");
  const token = tokens.find((item) => hashOf(item) === entry.item);
  if (token === undefined) throw usageFailure("the token on standard input is not the one that was reset");
  const { describeOutcome } = await import("../../delivery/reset.ts");
  const { service, clientId } = await context.address.applicationService();
  return describeOutcome(service, clientId, token);
}

/** The most items to name. */
const mostNamed = 5;
const longestName = 60;

/** For each step that an item has reached, a sentence with the notes of its tokens; none where no token was created. */
function rotationSteps({ contents }: Leftover): readonly string[] {
  const entries = [...contents.items.values()].filter(({ state }) => state !== "done");
  const at = (step: Entry["step"]): readonly string[] =>
    entries
      .filter((entry) => entry.state === "answered" && entry.step === step)
      .map(({ old }) => old?.note ?? "without a note");
  const unanswered = entries.flatMap(({ state, interim, lost = [] }) => [
    ...lost,
    ...(state === "sent" && interim?.note !== undefined && interim.note !== null ? [interim.note] : []),
  ]);
  const said = [
    [at("delivered"), "delivered, and not proven active yet"],
    [at("proven"), "delivered and active, and the old one is not deleted yet"],
    [at("gone"), "delivered and active, the old one is gone, and its note is not handed on yet"],
    [[...new Set(unanswered)], "perhaps made, and its value is not kept"],
  ] as const;
  return said.filter(([notes]) => notes.length > 0).map(([notes, what]) => `${named(notes)}: ${what}`);
}

function named(notes: readonly string[]): string {
  const names = notes.slice(0, mostNamed).map((note) => `"${foreign(shorten(note, longestName))}"`);
  const more = notes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
