// The flags that `sandbox start` and `sandbox run` share, and the sandbox that they describe.
//
// The global flags --otp, --operator and --header-word set the sandbox itself here. What --fault takes, and how help
// explains it, comes from the sandbox's table of faults. Without --seed the seed of faults is random, short enough to be
// typed, and reported, so that a run can be repeated.
//
// Flags that contradict each other, a taken port and a folder in use are usage failures, found before anything listens.
import { type Command, InvalidArgumentError, Option } from "commander";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { section, terms } from "../../command-line/help-sections.ts";
import { quoteCommand } from "../../config/command-words.ts";
import { collect, parseCount, parsePositive } from "../../config/global-options.ts";
import { headerWordOf } from "../../config/settings.ts";
import { usageFailure } from "../../errors/errors.ts";
import { operatorNames } from "../../operators.ts";
import type { Context } from "../../run/context.ts";
import { faultBounds, faultTerms, parseFault } from "../../sandbox/http/faults.ts";
import type { Fault, Sandbox, SandboxOperator } from "../../sandbox/sandbox.ts";

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

/** Adds the sandbox's flags. The global --otp, --operator and --header-word set the sandbox itself here. */
export function addSandboxOptions(command: Command): Command {
  command
    .option("--port <n>", "loopback port to listen on; 0 takes a free one", parseCount, 0)
    .option("--data <dir>", "keep everything in this folder; without it, it is gone at the end")
    .addOption(
      new Option("--otp <mode>", "one-time passwords: none, from an app, or sent by sms").choices(otpModes),
    )
    .addOption(new Option("--operator <operator>", "which kind of server to be").choices(operatorNames))
    .option("--github-com", "with --operator github: behave like github.com, not like an Enterprise Server")
    .option("--header-word <word>", "the word in X-<Word>-OTP")
    .option("--per-page <n>", "items on a page when a request names no number", parsePositive, 30)
    .option("--grants <n>", "how many applications have a token", parseCount)
    .option("--authorizations <n>", "how many authorizations the account has in all", parseCount)
    .option("--latency <ms>", "answer only after this many milliseconds", parseCount, 0)
    .option(
      "--reports-per-hour <n>",
      "with --github-com: how many reports of tokens are taken in an hour",
      parseCount,
      60,
    )
    .option("--allow-host <name>", "accept this name in Host headers too; repeatable", collect);
  return addFaultOptions(command);
}

interface FaultFlags {
  readonly fault?: readonly Fault[];
  readonly seed?: number;
}

const forms = faultTerms
  .map(([form]) => form)
  .join(", ")
  .replace(/, (?=[^,]*$)/, " or ");

const explanation = section(
  "Faults",
  "Each has a probability P from 0 to 1, and the sandbox's own codes are spared.",
  terms(faultTerms),
);

/** Adds `--fault` and `--seed`, and explains the faults. */
function addFaultOptions(command: Command): Command {
  command
    .option("--fault <name=value>", `go wrong on purpose: ${forms}; repeatable`, collectFault)
    .option("--seed <n>", "repeat the faults of the run that was seeded so", parseCount);
  return addHelpSection(command, explanation);
}

/** The faults and the seed for the sandbox. Without `--seed` the seed is random, and short enough to be typed. */
function chooseFaults({ fault, seed }: FaultFlags): {
  readonly faults: readonly Fault[];
  readonly seed: number;
} {
  return { faults: fault ?? [], seed: seed ?? Math.floor(Math.random() * 1_000_000_000) };
}

function collectFault(text: string, previous: readonly Fault[] | undefined): readonly Fault[] {
  const fault = parseFault(text);
  if (fault === null) {
    throw new InvalidArgumentError(`it must be ${forms}, where ${faultBounds}`);
  }
  return [...(previous ?? []), fault];
}

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
      hideTokens: "none",
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
