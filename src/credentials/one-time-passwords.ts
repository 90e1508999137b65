// The run's one-time passwords. All requests in flight share one code and one prompt. A rejected code is never sent
// again, and there are three tries. Codes come from a flag or the environment, then from a command, or else a prompt.
import { splitCommand } from "../config/command-words.ts";
import { Failure, failureOf, usageFailure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import type { OneTimePasswordMethod, OneTimePasswords } from "../http/otp-layer.ts";
import type { LimitWaits } from "../http/waiting.ts";
import type { RunParts } from "../run/context.ts";
import type { Host } from "../system/host.ts";

const mostTries = 3;

/** A code of an authenticator application changes with each half minute, and is valid for the next one, too. */
export const codePeriodMs = 30_000;

type Sources = Pick<RunParts, "settings" | "prompter" | "redactor"> & {
  readonly host: Pick<Host, "now">;
  readonly waits: Pick<LimitWaits, "wait">;
};

/** A code must be one word of printable ASCII, because it is sent as a header value. */
function isCode(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text);
}

const places = {
  app: "from your authenticator app",
  sms: "in the text message; some services send one only when something is created or changed",
  unknown: "sent by the server",
} as const satisfies Record<OneTimePasswordMethod, string>;

/** `whose` is as in `octavia at https://api.example.com`. Throws a usage failure for an invalid code or command. */
export function createOneTimePasswords(
  { settings, prompter, redactor, host, waits }: Sources,
  whose: string,
  runCommand: (words: readonly [string, ...string[]]) => Promise<string>,
): OneTimePasswords {
  const refused = new Set<string>();
  /** A code from a flag or the environment is sent with the first request already. */
  let current = settings.otp?.value.trim() ?? null;
  /** Codes that did not work, since the last one that did: that one has expired. */
  let tries = 0;
  let isAccepted = false;
  let pending: Promise<string> | null = null;
  if (current !== null && !isCode(current))
    throw usageFailure("a one-time password is one word of letters or digits");
  const command = settings.otpCommand === undefined ? null : splitCommand(settings.otpCommand.value);

  async function obtain(method: OneTimePasswordMethod): Promise<string> {
    while (tries < mostTries) {
      const next = command === null ? await ask(method) : await print(command);
      if (isCode(next)) redactor.addSecret(next);
      if (isCode(next) && !refused.has(next)) return next;
      // A rejected code again, or an invalid one, counts as a try but is not sent. A command has another in the next period.
      tries += 1;
      if (command !== null && tries < mostTries) await waits.wait(codePeriodMs - (host.now() % codePeriodMs));
    }
    throw codeFailure(
      `the server rejected ${counted(refused.size, "one-time password")}, and no other was given`,
      "Check the clock of this machine: codes of an authenticator application depend on it.",
    );
  }

  async function ask(method: OneTimePasswordMethod): Promise<string> {
    const again = tries > 0 ? "The server rejected that code. " : "";
    const question = `${again}One-time password of ${whose} (${places[method]}):`;
    const state =
      refused.size > 0
        ? "rejected the one-time password"
        : `requires a one-time password (${places[method]})`;
    const typed = await prompter.askText(question, (why) =>
      codeFailure(
        `the server ${state}, and ${why}`,
        "Pass it with --otp CODE, or set otp_command to a command that prints it.",
      ),
    );
    // Applications show codes in groups, so users may type spaces.
    return typed.replaceAll(/\s/g, "");
  }

  async function print(words: readonly [string, ...string[]]): Promise<string> {
    let code = "";
    const failure = await failureOf(runCommand(words).then((line) => (code = line.trim())));
    if (isCode(code)) return code;
    throw codeFailure(
      `the one-time password command printed no code: ${failure?.message ?? `${words[0]} did not print one word`}`,
      "Pass a code with --otp CODE, or set another command with GRANTCTL_OTP_COMMAND or otp_command.",
    );
  }

  return {
    current: () => current,
    accept(code) {
      if (code !== current) return;
      isAccepted = true;
      tries = 0;
    },
    async next(rejected, method) {
      // Another request in flight may have obtained a newer code.
      if (current !== null && current !== rejected) return current;
      if (current !== null) {
        tries = isAccepted ? 0 : tries + 1;
        refused.add(current);
        current = null;
        isAccepted = false;
      }
      pending ??= obtain(method)
        .then((next) => (current = next))
        .finally(() => {
          pending = null;
        });
      return pending;
    },
  };
}

function codeFailure(message: string, hint: string): Failure {
  return new Failure("otp", message, { status: 401, hint });
}
