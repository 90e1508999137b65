// Asks a running sandbox for its one-time passwords. Apart from codes.ts because it needs the checks of answers.
import * as v from "valibot";
import type { Context } from "../../run/context.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { readJson } from "../../exact-json.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";
import type { CodeRow } from "./code-rows.ts";

const answerShape = v.object({
  codes: v.array(
    v.looseObject({
      login: v.string(),
      // Printed as it is, for a command that gives one to another run.
      code: v.pipe(v.string(), v.regex(/^\d{6,8}$/)),
      sent_at: v.string(),
      expires_at: v.string(),
    }),
  ),
});

/** GET lists the codes that were sent; POST gives one that is good now. None where the sandbox wants none. */
export async function fetchCodes(method: "GET" | "POST", context: Context): Promise<readonly CodeRow[]> {
  const origin = context.address.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await context.address.connections.openTransport();
  const target = buildTarget(origin, "/sandbox/codes");
  const headers = { "User-Agent": "grantctl", Accept: "application/json" };
  const answer = await send({ method, target, subject: "the sandbox's codes", headers, body: null });
  if (answer.status === 409) return [];
  if (answer.status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${answer.status})`);
  try {
    return v.parse(answerShape, readJson(answer.body)).codes;
  } catch (cause) {
    throw new Failure("protocol", `what answers at ${origin.href} is no sandbox`, { cause });
  }
}
