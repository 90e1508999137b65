// Single sign-on for `api` and `graphql`: --wait waits for an approval, --fail-on-partial refuses an incomplete answer.
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../run/context.ts";
import { Failure, isFailure } from "../../errors/errors.ts";

const pauseMs = 2000;
const longestMs = 15 * 60_000;

/**
 * Sends a request. Where an organization requires approval of the token, prints the approval address and sends again
 * until the token is approved: a refused request changed nothing, so it may be sent again.
 */
export async function waitForApproval<T>(send: () => Promise<T>, context: Context): Promise<T> {
  const { host, notices } = context;
  const end = host.now() + longestMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await send();
    } catch (error) {
      if (!isFailure(error, "sso") || error.details.url === undefined || host.now() > end) throw error;
      if (isFirst) {
        notices.warn("an organization wants this token approved first; open this address in a browser:");
        notices.show(error.details.url);
        notices.note("waiting for the approval; Ctrl-C ends it");
      }
      await sleep(pauseMs);
    }
  }
}

/** Throws an `sso` failure where organizations left something out of an answer and --fail-on-partial was given. */
export function checkComplete(failsOnPartial: boolean, context: Context): void {
  const organizations = context.address.connections.partialOrganizations();
  if (!failsOnPartial || organizations === null) return;
  throw new Failure("sso", "the result leaves out organizations that want this token approved first", {
    hint: "the ids are in the warning above; without --fail-on-partial this is not a failure",
  });
}
