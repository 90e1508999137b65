// Requests to a running sandbox that are not part of its service. They need no credentials.
import type { Context } from "../../command-line/command.ts";
import { Failure } from "../../errors/errors.ts";
import { responseTo } from "../../http/service.ts";

/** Prints the response to `POST /sandbox/NAME`: codes or tokens, one a line. */
export async function printFromSandbox(
  { server, stdout }: Context,
  name: "code" | "tokens",
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const call = {
    method: "POST",
    template: `/sandbox/${name}`,
    body,
    subject: `the sandbox's ${name}`,
  } as const;
  const { status, body: lines } = await responseTo(await server.tokenService(null), call);
  if (status === 409) throw new Failure("refused", "this sandbox does not require one-time passwords");
  // Printed as they are, so nothing else.
  if (status !== 200 || !/^(?:\w+\n)+$/.test(lines.toString()))
    throw new Failure("refused", `there is no sandbox at ${server.origin().href} (status ${status})`);
  await stdout.write(lines);
}
