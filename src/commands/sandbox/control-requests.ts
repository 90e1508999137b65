// Requests to the control resources of a running sandbox: its one-time passwords and its notices to owners.
//
// They require no credentials and exist on loopback only, so any other host is a usage failure and gets no request. A
// server without these resources is reported as "not a sandbox".
//
// Loaded on demand, because only these commands need the validation library.
import * as v from "valibot";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";
import { readJson } from "../../json/exact-json.ts";
import type { Context } from "../../run/context.ts";
import type { CodeRow, NoticeRow } from "./schemas.ts";

const codes = v.object({
  codes: v.array(
    v.looseObject({
      login: v.string(),
      // Validated strictly, because it is printed unchanged.
      code: v.pipe(v.string(), v.regex(/^\d{6,8}$/)),
      sent_at: v.string(),
      expires_at: v.string(),
    }),
  ),
});

/** GET lists the sent codes; POST creates a valid one. Empty if the sandbox does not require codes. */
export async function fetchCodes(method: "GET" | "POST", context: Context): Promise<readonly CodeRow[]> {
  return (await requestControl(context, { method, name: "codes", shape: codes }))?.codes ?? [];
}

const notices = v.object({
  notices: v.array(v.looseObject({ login: v.string(), token_last_eight: v.string(), sent_at: v.string() })),
});

/** The notices to owners, oldest first. */
export async function fetchNotices(context: Context): Promise<readonly NoticeRow[]> {
  return (await requestControl(context, { method: "GET", name: "notices", shape: notices }))?.notices ?? [];
}

/**
 * The response of one of the sandbox's control resources; null if the sandbox lacks it. Throws a `refused` failure if
 * the server is not a sandbox.
 */
async function requestControl<Shape extends v.GenericSchema>(
  context: Context,
  { method, name, shape }: { readonly method: "GET" | "POST"; readonly name: string; readonly shape: Shape },
): Promise<v.InferOutput<Shape> | null> {
  const origin = context.server.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await context.server.connections.openTransport();
  const target = buildTarget(origin, `/sandbox/${name}`);
  const headers = { "User-Agent": "grantctl", Accept: "application/json" };
  const response = await send({ method, target, subject: `the sandbox's ${name}`, headers, body: null });
  if (response.status === 409) return null;
  if (response.status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${response.status})`);
  try {
    return v.parse(shape, readJson(response.body));
  } catch (cause) {
    throw new Failure("protocol", `the server at ${origin.href} is not a sandbox`, { cause });
  }
}
