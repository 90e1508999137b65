// `grantctl recover show` without a kept token: how far a job got, or the outcome of a single request that was sent and
// not answered, which is checked at the service. Changes nothing.
import { commandLine } from "../../bulk/resume-line.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { isJob } from "../../journal/entries.ts";
import { unknownItems, type Leftover } from "../../journal/leftover.ts";
import type { Context } from "../../run/context.ts";
import { readGivenTokens } from "./given-tokens.ts";
import { rotationSteps } from "./rotation-steps.ts";
import { progressOf, resumeHint } from "./show-job.ts";

/** The failure that says what is known, what is not, and which command helps. */
export async function whatIsKnown(leftover: Leftover, context: Context): Promise<Failure> {
  const { head } = leftover.contents;
  const unknown = unknownItems(leftover);
  if (isJob(head)) {
    const rest =
      unknown.length === 0
        ? ""
        : `; ${unknown.length} of ${head.total} items were sent and not answered; the job looks at each before it goes on`;
    const said = [`${progressOf(leftover)}${rest}`, ...rotationSteps(leftover)].join("; ");
    return new Failure(unknown.length === 0 ? "incomplete" : "unknown", said, {
      hint: resumeHint(leftover, context),
    });
  }
  const lastEight = unknown[0]?.last_eight;
  const which = lastEight === undefined ? "" : ` the token ending in ${lastEight}`;
  const what = `the request to ${head.operation}${which} at ${head.address} on ${head.created_at} was sent and not answered`;
  const known =
    (await look(leftover, context)) ?? unknown[0]?.known ?? "nobody has checked since whether it took effect";
  return new Failure("unknown", `${what}; ${known}`, {
    hint: `when this is settled: ${commandLine("recover", "forget", leftover.id)}`,
  });
}

/** A sentence on what the service shows; null where its check needs a token or credentials that were not given. */
async function look(leftover: Leftover, context: Context): Promise<string | null> {
  const { head, items } = leftover.contents;
  const [entry] = items.values();
  if (entry === undefined || !context.address.isAt(head.address)) return null;
  if (head.operation !== "reset") {
    const { describeFound, findCreated } = await import("../authorization/find-created.ts");
    const { service } = await context.address.accountService();
    return describeFound(await findCreated(service, entry.item, context.options.concurrency));
  }
  const tokens = await readGivenTokens("the old token", context);
  if (tokens === null) return null;
  const { hashOf } = await import("../../journal/hashes.ts");
  const token = tokens.find((item) => hashOf(item) === entry.item);
  if (token === undefined) throw usageFailure("the token on standard input is not the one that was reset");
  const { describeOutcome } = await import("../../delivery/reset/reset-outcome.ts");
  const { service, clientId } = await context.address.applicationService();
  return describeOutcome(service, clientId, token);
}
