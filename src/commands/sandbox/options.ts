// The flags that `sandbox start` and `sandbox run` share, and the sandbox that they describe.
//
// The global flags --otp and --server-type configure the sandbox itself here; the header word is that of the type.
import { type Command, InvalidArgumentError, Option } from "commander";
import { quoteCommand } from "../../config/command-words.ts";
import { parseCount } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import { joinOr } from "../../errors/words.ts";
import { serverTypeNames } from "../../server-types.ts";
import { addNote, type Context } from "../../command-line/command.ts";
import { type Fault, faultForms, parseFault } from "../../sandbox/faults.ts";
import type { Sandbox, SandboxOptions } from "../../sandbox/sandbox.ts";

const otpModes = ["none", "app", "sms"] as const;

export interface SandboxFlags extends Pick<SandboxOptions, "port" | "grants" | "authorizations" | "seed"> {
  readonly githubCom?: true;
  readonly fault?: readonly Fault[];
}

const forms = joinOr(Object.keys(faultForms));

export function addSandboxOptions(command: Command): Command {
  command
    .option("--port <n>", "Port on the loopback interface; 0 for any free port", parseCount, 0)
    .addOption(new Option("--otp <mode>", "Source of one-time passwords").choices(otpModes))
    .addOption(new Option("--server-type <type>", "Server type").choices(serverTypeNames))
    .option(
      "--github-com",
      "With --server-type github, behave like github.com instead of GitHub Enterprise Server",
    )
    .option("--grants <n>", "Number of grants (applications with a token)", parseCount)
    .option("--authorizations <n>", "Total number of authorizations in the account", parseCount)
    .option("--fault <name=value>", `Inject a fault: ${forms} (can be repeated)`, collectFault)
    .option("--seed <n>", "Seed for the random faults; another seed affects other requests", parseCount, 0);
  return addNote(
    command,
    "Faults",
    "P is a probability from 0 to 1. `grantctl sandbox code` and `tokens` are not affected.",
    faultForms,
  );
}

function collectFault(text: string, previous: readonly Fault[] = []): readonly Fault[] {
  const fault = parseFault(text);
  if (fault === null)
    throw new InvalidArgumentError(`must be ${forms}, where P is from 0 to 1 and CODE from 400 to 599`);
  return [...previous, fault];
}

/** Starts a sandbox. Throws a usage failure for conflicting flags and for a port that cannot be used. */
export async function startFrom(flags: SandboxFlags, context: Context): Promise<Sandbox> {
  const { host, options, notices, serverType } = context;
  const { githubCom, port, fault: faults = [], ...others } = flags;
  if (githubCom === true && !serverType.isGithub)
    throw usageFailure("--github-com requires --server-type github");
  const otp = otpModes.find((mode) => mode === (options.otp ?? "none"));
  if (otp === undefined) throw usageFailure(`the sandbox's --otp must be one of ${otpModes.join(", ")}`);
  const { startSandbox } = await import("../../sandbox/sandbox.ts");
  return startSandbox({
    ...others,
    port,
    serverType: githubCom === true ? "github.com" : serverType.name,
    headerWord: serverType.headerWord,
    otp,
    faults,
    now: () => host.now(),
    onTextMessage: (code) => notices.note(`text message to octavia: ${code}`),
  }).catch((error: unknown) => {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof RangeError && code === undefined) throw usageFailure(error.message);
    if (syscall !== "listen" && code !== "ERR_SOCKET_BAD_PORT") throw error;
    throw usageFailure(`port ${port} ${code === "EADDRINUSE" ? "is taken" : `cannot be used (${code})`}`);
  });
}

/** The command that prints a one-time password, quoted for a shell and for grantctl itself; null if there are none. */
export function otpCommandOf({ description }: Sandbox, { host }: Context): string | null {
  if (description.otp === "none") return null;
  return quoteCommand([...host.self, "sandbox", "code", "--base-url", description.base_url]);
}
