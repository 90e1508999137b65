// What single sign-on means for `api` and `graphql`: waiting for an approval, and not taking a part for the whole.
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../run/context.ts";
import { Failure, isFailure } from "../../errors/errors.ts";

const pauseMs = 2000;
const longestMs = 15 * 60_000;

/**
 * Sends, and where an organization wants the token approved first, says where and sends again until it is. A request
 * that was refused changed nothing, so that it may leave once more.
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

/** Throws an sso failure where organizations left something out, and that was not to be. */
export function checkComplete(failsOnPartial: boolean, context: Context): void {
  const organizations = context.address.connections.partialOrganizations();
  if (!failsOnPartial || organizations === null) return;
  throw new Failure("sso", "the result leaves out organizations that want this token approved first", {
    hint: "the ids are in the warning above; without --fail-on-partial this is no failure",
  });
}
