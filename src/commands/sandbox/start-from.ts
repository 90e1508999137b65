// Starts the sandbox that the flags of `sandbox start` and `sandbox run` describe.
import { quoteCommand } from "../../config/command-words.ts";
import { headerWordOf } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { Context } from "../../run/context.ts";
import type { Sandbox, SandboxOperator } from "../../sandbox/sandbox.ts";
import { chooseFaults } from "./fault-flags.ts";
import { otpModes, type OtpMode, type SandboxFlags } from "./sandbox-options.ts";

/** Starts a sandbox. Throws a usage failure for flags in conflict, a taken port or a folder in use. */
export async function startFrom(flags: SandboxFlags, context: Context): Promise<Sandbox> {
  const { host, options, notices, settings } = context;
  if (flags.port > 65_535) throw usageFailure("a port is at most 65535");
  if (flags.perPage > 100) throw usageFailure("a page has at most 100 items");
  const { SandboxUnavailable, startSandbox } = await import("../../sandbox/sandbox.ts");
  const { faults, seed } = chooseFaults(flags);
  try {
    const sandbox = await startSandbox({
      port: flags.port,
      dataFolder: flags.data ?? null,
      operator: operatorFor(flags, context),
      headerWord: headerWordOf(settings),
      otp: otpModeOf(options.otp),
      perPage: flags.perPage,
      grants: flags.grants ?? null,
      authorizations: flags.authorizations ?? null,
      latencyMs: flags.latency,
      reportsPerHour: flags.reportsPerHour,
      faults,
      seed,
      allowHosts: flags.allowHost ?? [],
      now: () => host.now(),
      otpCommand: (baseUrl) => otpCommand(host.self, baseUrl),
      onTextMessage: ({ login, code }) => {
        notices.note(`text message to ${login}: ${code}`);
      },
    });
    if (faults.length > 0 && flags.seed === undefined) notices.note(`faults are seeded with ${seed}`);
    return sandbox;
  } catch (error) {
    if (error instanceof SandboxUnavailable) throw usageFailure(error.message, error.hint);
    if (error instanceof RangeError) throw usageFailure(error.message);
    throw error;
  }
}

function operatorFor({ githubCom }: SandboxFlags, { operator: { name } }: Context): SandboxOperator {
  if (githubCom !== true) return name;
  if (name !== "github") throw usageFailure("--github-com belongs to --operator github");
  return "github.com";
}

function otpModeOf(text: string | undefined): OtpMode {
  const mode = otpModes.find((known) => known === (text ?? "none"));
  if (mode === undefined) throw usageFailure(`the sandbox's --otp is one of ${otpModes.join(", ")}`);
  return mode;
}

/** A command line that prints a code which is valid now, quoted for a shell and for grantctl's own `--otp-command`. */
function otpCommand(self: readonly string[], baseUrl: string): string {
  return quoteCommand([...self, "sandbox", "codes", "--now", "--base-url", baseUrl]);
}
