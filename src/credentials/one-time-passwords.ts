// The run's one-time passwords. All requests in flight share one code and one prompt. A rejected code is never sent
// again, and there are three tries. Codes come from a flag or the environment, then from a command, or else a prompt.
import { splitCommand } from "../config/command-words.ts";
import { Failure, failureOf, usageFailure } from "../errors/errors.ts";
import { counted } from "../errors/words.ts";
import type { OneTimePasswordMethod, OneTimePasswords } from "../http/one-time-password.ts";
import type { Prompter } from "../prompt/prompter.ts";

const maxTries = 3;

/** A code of an authenticator application changes with each half minute. */
const periodMs = 30_000;

export interface OneTimePasswordSources {
  /** The code from a flag or the environment, which is sent with the first request already, or null. */
  readonly given: string | null;
  readonly command: string | null;
  /** Runs a command and returns the line that it printed. */
  readonly runCommand: (words: readonly [string, ...string[]]) => Promise<string>;
  readonly prompter: Prompter;
  /** As in `octavia at https://api.example.com`. */
  readonly whose: string;
  /** Called with every code before it is sent. */
  readonly redact: (code: string) => void;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** A code must be one word of printable ASCII, because it is sent as a header value. */
function isCode(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text);
}

const places = {
  app: "from your authenticator app",
  sms: "in the text message; some services send one only when something is created or changed",
  unknown: "sent by the server",
} as const satisfies Record<OneTimePasswordMethod, string>;

/** Shared by all requests of a run. Throws a usage failure for an invalid code or command. */
export function createOneTimePasswords(sources: OneTimePasswordSources): OneTimePasswords {
  let code = sources.given?.trim() ?? null;
  if (code !== null && !isCode(code))
    throw usageFailure("a one-time password is one word of letters or digits");
  const words = sources.command === null ? null : splitCommand(sources.command);
  const refused = new Set<string>();
  /** Codes that did not work, since the last one that did: that one has expired. */
  let tries = 0;
  let isAccepted = false;
  let pending: Promise<string> | null = null;

  const ask = async (method: OneTimePasswordMethod): Promise<string> => {
    const again = tries > 0 ? "The server rejected that code. " : "";
    const question = `${again}One-time password of ${sources.whose} (${places[method]}):`;
    const state =
      refused.size > 0
        ? "rejected the one-time password"
        : `requires a one-time password (${places[method]})`;
    const typed = await sources.prompter.askText(question, (why) =>
      codeFailure(
        `the server ${state}, and ${why}`,
        "Pass it with --otp CODE, or set otp_command to a command that prints it.",
      ),
    );
    // Applications show codes in groups, so users may type spaces.
    return typed.replaceAll(/\s/g, "");
  };

  const obtain = async (method: OneTimePasswordMethod): Promise<string> => {
    while (tries < maxTries) {
      const next = words === null ? await ask(method) : await printedCode(words, sources);
      if (isCode(next)) sources.redact(next);
      if (isCode(next) && !refused.has(next)) return next;
      // A rejected code again, or an invalid one, counts as a try but is not sent. A command has another in the next period.
      tries += 1;
      if (words !== null && tries < maxTries) await sources.wait(periodMs - (sources.now() % periodMs));
    }
    throw codeFailure(
      `the server rejected ${counted(refused.size, "one-time password")}, and no other was given`,
      "Check the clock of this machine: codes of an authenticator application depend on it.",
    );
  };

  return {
    current: () => code,
    accept(accepted) {
      if (accepted !== code) return;
      isAccepted = true;
      tries = 0;
    },
    async next(refusedCode, method) {
      // Another request in flight may have obtained a newer code.
      if (code !== null && code !== refusedCode) return code;
      if (code !== null) {
        tries = isAccepted ? 0 : tries + 1;
        refused.add(code);
        code = null;
        isAccepted = false;
      }
      pending ??= obtain(method)
        .then((next) => (code = next))
        .finally(() => {
          pending = null;
        });
      return pending;
    },
  };
}

async function printedCode(
  words: readonly [string, ...string[]],
  { runCommand }: OneTimePasswordSources,
): Promise<string> {
  let code = "";
  const failure = await failureOf(runCommand(words).then((line) => (code = line.trim())));
  if (isCode(code)) return code;
  throw codeFailure(
    `the one-time password command printed no code: ${failure?.message ?? `${words[0]} did not print one word`}`,
    "Pass a code with --otp CODE, or set another command with GRANTCTL_OTP_COMMAND or otp_command.",
  );
}

function codeFailure(message: string, hint: string): Failure {
  return new Failure("otp", message, { status: 401, hint });
}
