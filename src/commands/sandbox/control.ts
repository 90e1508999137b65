// Requests to a running sandbox that are not part of its service. They need no credentials. A sandbox listens on loopback
// only, so any other host is a usage failure and gets no request.
import type { Context } from "../../command-line/command.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";
import { isObject, readJson } from "../../json/exact-json.ts";

/** The field `name` of the response to `POST /sandbox/NAME`; null if the sandbox does not have such a thing (409). */
export async function askSandbox(
  { server }: Context,
  name: "code" | "tokens",
  body: string | null,
): Promise<unknown> {
  const origin = server.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await server.connections.openTransport();
  const target = buildTarget(origin, `/sandbox/${name}`);
  const headers = { "User-Agent": "grantctl", Accept: "application/json" };
  const response = await send({ method: "POST", target, subject: `the sandbox's ${name}`, headers, body });
  if (response.status === 409) return null;
  if (response.status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${response.status})`);
  try {
    const value = readJson(response.body);
    if (isObject(value)) return value[name];
  } catch {
    // Not JSON.
  }
  throw new Failure("protocol", `the server at ${origin.href} is not a sandbox`);
}
