// Asks a running sandbox for what it alone knows: its one-time passwords, and what it told owners. Apart from the commands
// because it needs the checks of answers.
import * as v from "valibot";
import type { Context } from "../../run/context.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { readJson } from "../../json/exact-json.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";
import type { CodeRow } from "./code-rows.ts";
import type { NoticeRow } from "./notice-rows.ts";

const codes = v.object({
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
  return (await askSandbox(context, { method, name: "codes", shape: codes }))?.codes ?? [];
}

const notices = v.object({
  notices: v.array(v.looseObject({ login: v.string(), token_last_eight: v.string(), sent_at: v.string() })),
});

/** What owners were told, oldest first. */
export async function fetchNotices(context: Context): Promise<readonly NoticeRow[]> {
  return (await askSandbox(context, { method: "GET", name: "notices", shape: notices }))?.notices ?? [];
}

/**
 * What a control resource of the sandbox answers; null where it has nothing of the kind. Throws a refusal where there is
 * no sandbox.
 */
async function askSandbox<Shape extends v.GenericSchema>(
  context: Context,
  { method, name, shape }: { readonly method: "GET" | "POST"; readonly name: string; readonly shape: Shape },
): Promise<v.InferOutput<Shape> | null> {
  const origin = context.address.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await context.address.connections.openTransport();
  const target = buildTarget(origin, `/sandbox/${name}`);
  const headers = { "User-Agent": "grantctl", Accept: "application/json" };
  const answer = await send({ method, target, subject: `the sandbox's ${name}`, headers, body: null });
  if (answer.status === 409) return null;
  if (answer.status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${answer.status})`);
  try {
    return v.parse(shape, readJson(answer.body));
  } catch (cause) {
    throw new Failure("protocol", `what answers at ${origin.href} is no sandbox`, { cause });
  }
}
