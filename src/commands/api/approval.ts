// Single sign-on for `api` and `graphql`: --wait waits for an approval, --fail-on-partial refuses an incomplete answer.
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import { Failure, isFailure } from "../../errors/errors.ts";

const pauseMs = 2000;
const longestMs = 15 * 60_000;

export interface ApprovalOptions {
  readonly wait?: true;
  readonly failOnPartial?: true;
}

/** Adds `--wait` and `--fail-on-partial`. */
export function addApprovalOptions(command: Command): Command {
  return command
    .option(
      "--wait",
      "if an organization wants the token approved, wait for that, 15 minutes at most, and go on",
    )
    .option("--fail-on-partial", "exit with 6 if organizations left something out");
}

/**
 * Sends a request. With --wait, where an organization requires approval of the token, prints the approval address and
 * sends again until the token is approved: a refused request changed nothing, so it may be sent again.
 */
export async function sendOrWait<T>(
  send: () => Promise<T>,
  { wait }: ApprovalOptions,
  context: Context,
): Promise<T> {
  const { host, notices } = context;
  const end = host.now() + longestMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await send();
    } catch (error) {
      if (wait !== true || !isFailure(error, "sso") || error.details.url === undefined) throw error;
      if (host.now() > end) throw error;
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
export function checkComplete({ failOnPartial }: ApprovalOptions, { address }: Context): void {
  if (failOnPartial !== true || address.connections.partialOrganizations() === null) return;
  throw new Failure("sso", "the result leaves out organizations that want this token approved first", {
    hint: "the ids are in the warning above; without --fail-on-partial this is not a failure",
  });
}
