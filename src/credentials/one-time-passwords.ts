// The run's one-time passwords. All requests in flight share one code and one prompt. A rejected code is never sent
// again, and there are three tries. Sources in order: flag or environment, command, prompt.
import { splitCommand } from "../config/command-words.ts";
import { Failure, usageFailure, isFailure } from "../errors/errors.ts";
import type { OneTimePasswordMethod, OneTimePasswords } from "../http/one-time-password.ts";
import type { Prompter } from "../prompt/prompter.ts";

const maxTries = 3;

export interface OneTimePasswordQuestion {
  readonly method: OneTimePasswordMethod;
  /** True if the previous code was rejected. */
  readonly isAgain: boolean;
}

export interface OneTimePasswordSources {
  /** The code from a flag or the environment; sent with the first request already. */
  readonly given: string | null;
  /** Runs the configured command; null if there is none. */
  readonly runCommand: (() => Promise<string>) | null;
  /** Prompts on the controlling terminal; rejects with the error of `orElse` if it cannot prompt. */
  readonly prompt: (question: OneTimePasswordQuestion, orElse: () => Error) => Promise<string>;
}

/** A code must be one word of printable ASCII, because it is sent as a header value. */
function isOneTimePassword(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text.trim());
}

/** Checks a code from a flag or the environment; throws a usage failure. */
export function checkOneTimePassword(code: string): string {
  if (!isOneTimePassword(code)) throw usageFailure("a one-time password is one word of letters or digits");
  return code.trim();
}

/** Shared by all requests of a run. */
export function createOneTimePasswords(sources: OneTimePasswordSources): OneTimePasswords {
  let code = sources.given === null ? null : checkOneTimePassword(sources.given);
  let isAccepted = false;
  let tries = 0;
  let pending: Promise<string> | null = null;
  const refused = new Set<string>();

  const refuse = (refusedCode: string): void => {
    // A code that was accepted before has expired; only codes that never worked count as tries.
    if (isAccepted) tries = 0;
    else tries += 1;
    refused.add(refusedCode);
    code = null;
    isAccepted = false;
  };

  const obtain = async (method: OneTimePasswordMethod): Promise<string> => {
    const { runCommand, prompt } = sources;
    const source =
      runCommand ??
      (() => prompt({ method, isAgain: tries > 0 }, () => missingCodeFailure(method, refused.size > 0)));
    for (;;) {
      if (tries >= maxTries) throw tooManyTriesFailure(refused.size);
      const next = (await source()).trim();
      if (isOneTimePassword(next) && !refused.has(next)) return next;
      // A rejected code again, or an invalid one, counts as a try but is not sent.
      tries += 1;
    }
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
      if (code !== null && refusedCode === code) refuse(code);
      pending ??= obtain(method)
        .then((next) => (code = next))
        .finally(() => {
          pending = null;
        });
      return pending;
    },
  };
}

function missingCodeFailure(method: OneTimePasswordMethod, wasRefused: boolean): Failure {
  const where = {
    app: " from the authenticator application",
    sms: " from the text message",
    unknown: "",
  }[method];
  return new Failure(
    "otp",
    wasRefused
      ? "the server rejected the one-time password"
      : `the server requires a one-time password${where}`,
    { status: 401, hint: "Pass it with --otp CODE, or set otp_command to a command that prints it." },
  );
}

function tooManyTriesFailure(refusedCodes: number): Failure {
  const message =
    refusedCodes >= maxTries
      ? `the server rejected ${refusedCodes} one-time passwords`
      : "the server rejected the one-time password, and no other was given";
  return new Failure("otp", message, {
    status: 401,
    hint: "Check the clock of this machine: codes of an authenticator application depend on it.",
  });
}

interface OneTimePasswordOptions {
  /** The code that was given before the run, or null. */
  readonly given: string | null;
  readonly command: string | null;
  /** Runs a command and returns the line that it printed. */
  readonly runCommand: (words: readonly [string, ...string[]]) => Promise<string>;
  readonly prompter: Prompter;
  /** Called with every code before it is sent. */
  readonly onCode: (code: string) => void;
  readonly username: string;
  readonly baseUrl: string;
}

/** Throws a usage failure for an invalid command. */
export function oneTimePasswordSources(options: OneTimePasswordOptions): OneTimePasswordSources {
  const { given, command, prompter, onCode } = options;
  const reportCode = async (source: Promise<string>): Promise<string> => {
    const code = await source;
    onCode(code.trim());
    return code;
  };
  const words = command === null ? null : splitCommand(command);
  return {
    given,
    runCommand: words === null ? null : () => reportCode(runCodeCommand(words, options)),
    // Applications show codes in groups, so users may type spaces.
    prompt: (question, orElse) =>
      reportCode(
        prompter.askText(questionText(question, options), orElse).then((code) => code.replaceAll(/\s/g, "")),
      ),
  };
}

async function runCodeCommand(
  words: readonly [string, ...string[]],
  { runCommand }: OneTimePasswordOptions,
): Promise<string> {
  let code: string;
  try {
    code = await runCommand(words);
  } catch (error) {
    throw isFailure(error, "authentication") ? commandFailure(error.marked, error) : error;
  }
  if (isOneTimePassword(code)) return code;
  throw commandFailure(`the command ${words[0]} did not print a one-time password`);
}

/** The failure if the service requires a code, and the command printed none. */
function commandFailure(why: string, cause?: unknown): Failure {
  return new Failure("otp", `the one-time password command printed no code: ${why}`, {
    status: 401,
    cause,
    hint: "Pass a code with --otp CODE, or set another command with GRANTCTL_OTP_COMMAND or otp_command.",
  });
}

function questionText(
  { method, isAgain }: OneTimePasswordQuestion,
  { username, baseUrl }: OneTimePasswordOptions,
): string {
  const where = {
    app: "from your authenticator app",
    sms: "in the text message; some services send one only when something is created or changed",
    unknown: "sent by the server",
  }[method];
  return `${isAgain ? "The server rejected that code. " : ""}One-time password of ${username} at ${baseUrl} (${where}):`;
}
