// The flags of `sandbox start` and `sandbox run`, and how they become a running sandbox.
import { Option, type Command } from "commander";
import { parseCount, parsePositive, collect } from "../../config/global-options.ts";
import { quoteCommand } from "../../config/command-words.ts";
import { headerWordOf } from "../../config/settings.ts";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { operatorNames } from "../../operators.ts";
import type { Sandbox, SandboxOperator } from "../../sandbox/sandbox.ts";
import { addFaultOptions, chooseFaults, type FaultFlags } from "./fault-flags.ts";

const otpModes = ["none", "app", "sms"] as const;
type OtpMode = (typeof otpModes)[number];

export interface SandboxFlags extends FaultFlags {
  readonly port: number;
  readonly data?: string;
  readonly githubCom?: true;
  readonly perPage: number;
  readonly grants?: number;
  readonly authorizations?: number;
  readonly latency: number;
  readonly reportsPerHour: number;
  readonly allowHost?: readonly string[];
}

/** Adds the sandbox's flags; --otp, --operator and --header-word are global ones, which here set the sandbox. */
export function addSandboxOptions(command: Command): Command {
  command
    .addOption(
      new Option("--port <n>", "loopback port to listen on; 0 takes a free one")
        .default(0)
        .argParser(parseCount),
    )
    .addOption(
      new Option("--data <dir>", "keep everything in this folder; without it, it is gone at the end"),
    )
    .addOption(new Option("--otp <mode>", "one-time passwords: none, app or sms").choices(otpModes))
    .addOption(new Option("--operator <operator>", "which kind of server to be").choices(operatorNames))
    .option("--github-com", "with --operator github: be as github.com is, and not as an Enterprise Server")
    .addOption(new Option("--header-word <word>", "the word in X-<Word>-OTP"))
    .addOption(
      new Option("--per-page <n>", "items on a page that asks for no number")
        .default(30)
        .argParser(parsePositive),
    )
    .addOption(new Option("--grants <n>", "how many applications have a token").argParser(parseCount))
    .addOption(
      new Option("--authorizations <n>", "how many authorizations the account has in all").argParser(
        parseCount,
      ),
    )
    .addOption(
      new Option("--latency <ms>", "answer only after so many milliseconds").default(0).argParser(parseCount),
    )
    .addOption(
      new Option(
        "--reports-per-hour <n>",
        "with --github-com: how many reports of tokens are taken in an hour",
      )
        .default(60)
        .argParser(parseCount),
    )
    .addOption(
      new Option("--allow-host <name>", "accept this name in Host headers too; repeatable").argParser(
        collect,
      ),
    );
  return addFaultOptions(command);
}

/** Starts a sandbox. Throws a usage failure for flags that do not fit, a taken port or a folder in use. */
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

/** A command line that prints a code which is good now; a shell and grantctl itself split it alike. */
function otpCommand(self: readonly string[], baseUrl: string): string {
  return quoteCommand([...self, "sandbox", "codes", "--now", "--base-url", baseUrl]);
}
