// `grantctl sandbox code` and `tokens`: requests to a running sandbox that are not part of its service, for a one-time password
// (and nothing else, for otp_command) and for tokens to rehearse with. They need no credentials. A sandbox listens on loopback
// only, so any other host is a usage failure and gets no request.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { parsePositive } from "../../config/global-options.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";

export const defineCode: Define = (command, act) => {
  command
    .description("Print a one-time password that the sandbox at --base-url currently accepts.")
    .action(act((context) => printFromSandbox(context, "code", {}), { announces: false }));
  addExamples(command, [
    "grantctl sandbox code --base-url http://127.0.0.1:8080",
    "grantctl sandbox run --otp app -- grantctl sandbox code",
  ]);
};

export const defineTokens: Define = (command, act) => {
  command
    .description(
      "Make active tokens of the application in the sandbox at --base-url, and print them, one a line, to rehearse with.",
    )
    .requiredOption("--count <n>", "Number of tokens", parsePositive)
    .action(
      act((context, flags: { count: number }) => printFromSandbox(context, "tokens", flags), {
        announces: false,
      }),
    );
  addExamples(command, [
    "grantctl sandbox tokens --count 10 --base-url http://127.0.0.1:8080",
    "grantctl sandbox tokens --count 1000 | grantctl token check",
  ]);
};

/** Prints the response to `POST /sandbox/NAME`: codes or tokens, one a line. */
async function printFromSandbox(
  { server, stdout }: Context,
  name: "code" | "tokens",
  body: object,
): Promise<void> {
  const origin = server.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await server.connections.openTransport();
  const response = await send({
    method: "POST",
    target: buildTarget(origin, `/sandbox/${name}`),
    subject: `the sandbox's ${name}`,
    headers: { "User-Agent": "grantctl", Accept: "text/plain" },
    body: JSON.stringify(body),
  });
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
