// `grantctl sandbox code`: prints a one-time password that a running sandbox accepts, and nothing else, for
// otp_command. The sandbox sends a text message if no earlier code would stay valid long enough.
//
// The request needs no credentials. A sandbox listens on loopback only, so any other host is a usage failure and gets no
// request.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { buildTarget, isLoopback } from "../../http/origin.ts";
import { isObject, readJson } from "../../json/exact-json.ts";

export const defineCode: Define = (command, act) => {
  command
    .summary("Print a one-time password of a running sandbox")
    .description("Print a one-time password that the sandbox at --base-url currently accepts.")
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url");
  addExamples(command, [
    "grantctl sandbox code --base-url http://127.0.0.1:8080",
    "grantctl sandbox run --otp app -- grantctl sandbox code",
  ]);
};

async function run({ server, stdout }: Context): Promise<void> {
  const origin = server.origin();
  if (!isLoopback(new URL(origin.root).hostname)) throw usageFailure("a sandbox listens on loopback only");
  const { send } = await server.connections.openTransport();
  const target = buildTarget(origin, "/sandbox/code");
  const headers = { "User-Agent": "grantctl", Accept: "application/json" };
  const subject = "the sandbox's one-time password";
  const { status, body } = await send({ method: "POST", target, subject, headers, body: null });
  if (status === 409) throw new Failure("refused", "this sandbox does not require one-time passwords");
  if (status !== 200)
    throw new Failure("refused", `there is no sandbox at ${origin.href} (status ${status})`);
  const code = readCode(body);
  if (code === null) throw new Failure("protocol", `the server at ${origin.href} is not a sandbox`);
  await stdout.write(`${code}\n`);
}

/** Null if the response is not a sandbox's. */
function readCode(body: Uint8Array): string | null {
  let value: unknown;
  try {
    value = readJson(body);
  } catch {
    return null;
  }
  const code = isObject(value) ? value["code"] : null;
  return typeof code === "string" && /^\d{6}$/.test(code) ? code : null;
}
