// The flags of `sandbox start` and `sandbox run`.
import { Option, type Command } from "commander";
import { parseCount, parsePositive, collect } from "../../config/global-options.ts";
import { operatorNames } from "../../operators.ts";
import { addFaultOptions, type FaultFlags } from "./fault-flags.ts";

export const otpModes = ["none", "app", "sms"] as const;
export type OtpMode = (typeof otpModes)[number];

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
