// Requests to a running sandbox that are not part of its service. They need no credentials. A sandbox listens on loopback only,
// so any other host is a usage failure and gets no request.
import type { Context } from "../../command-line/command.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { isLoopback } from "../../http/origin.ts";
import { responseTo } from "../../http/service.ts";

/** Prints the response to `POST /sandbox/NAME`: codes or tokens, one a line. */
export async function printFromSandbox(
  { server, stdout }: Context,
  name: "code" | "tokens",
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const origin = server.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const call = {
    method: "POST",
    template: `/sandbox/${name}`,
    body,
    subject: `the sandbox's ${name}`,
  } as const;
  const response = await responseTo(await server.tokenService(null), call);
  if (response.status === 409)
    throw new Failure("refused", "this sandbox does not require one-time passwords");
  if (response.status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${response.status})`);
  const lines = response.body.toString();
  // Printed as they are, so nothing else.
  if (!/^(?:\w+\n)+$/.test(lines))
    throw new Failure("protocol", `the server at ${origin.href} is not a sandbox`);
  await stdout.write(lines);
}
