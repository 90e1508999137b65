// Single sign-on for `api`: --wait waits for an approval, --fail-on-partial rejects an incomplete response.
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

export function addApprovalOptions(command: Command): Command {
  return command
    .option("--wait", "If an organization must approve the token first, wait for approval (up to 15 minutes)")
    .option(
      "--fail-on-partial",
      "Exit with code 6 if the result is incomplete because an organization requires approval of the token",
    );
}

/**
 * Sends a request. With --wait, if an organization requires approval of the token, prints the approval URL and retries
 * until the token is approved. Retries are safe, because a rejected request changed nothing.
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
        notices.warn("an organization requires approval of this token; open this URL in a browser:");
        notices.show(error.details.url);
        notices.note("waiting for the approval; press Ctrl-C to stop");
      }
      await sleep(pauseMs);
    }
  }
}

/** Throws an `sso` failure if organizations left something out of a response and --fail-on-partial was given. */
export function checkComplete({ failOnPartial }: ApprovalOptions, { server }: Context): void {
  if (failOnPartial !== true || server.connections.partialOrganizations() === null) return;
  throw new Failure("sso", "the result is incomplete: some organizations require approval of this token", {
    hint: "The warning above lists their IDs. Omit --fail-on-partial to accept an incomplete result.",
  });
}
