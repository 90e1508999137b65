// Where a run's one-time passwords come from, and how a person is asked for one.
import { splitCommand } from "../config/command-words.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import type { Prompter } from "../prompt/prompter.ts";
import {
  isOneTimePassword,
  type OneTimePasswordQuestion,
  type OneTimePasswordSources,
} from "./one-time-passwords.ts";

export interface OneTimePasswordOptions {
  /** The code that was given before the run; null where there was none. */
  readonly given: string | null;
  /** The command that prints one; null where there is none. */
  readonly command: string | null;
  /** Runs a command and gives back the line that it printed. */
  readonly runCommand: (words: readonly [string, ...string[]]) => Promise<string>;
  readonly prompter: Prompter;
  /** Called with every code before it is sent. */
  readonly onCode: (code: string) => void;
  /** Whose code it is, and where: the only address that a question may name. */
  readonly username: string;
  readonly address: string;
}

/** The sources in their order: given, by command, by a person. Throws a usage failure for a command that is none. */
export function oneTimePasswordSources(options: OneTimePasswordOptions): OneTimePasswordSources {
  const { given, command, prompter, onCode } = options;
  const heard = async (source: Promise<string>): Promise<string> => {
    const code = await source;
    onCode(code.trim());
    return code;
  };
  const words = command === null ? null : splitCommand(command);
  return {
    given,
    runCommand: words === null ? null : () => heard(codeOf(words, options)),
    // People type a code as it is shown to them, in groups.
    ask: (question, orElse) =>
      heard(
        prompter.askText(questionText(question, options), orElse).then((code) => code.replaceAll(/\s/g, "")),
      ),
  };
}

async function codeOf(
  words: readonly [string, ...string[]],
  { runCommand }: OneTimePasswordOptions,
): Promise<string> {
  let code: string;
  try {
    code = await runCommand(words);
  } catch (error) {
    throw isFailure(error, "authentication") ? noCodeFrom(error.marked, error) : error;
  }
  if (isOneTimePassword(code)) return code;
  throw noCodeFrom(`the command ${words[0]} printed something else`);
}

/** The failure where the service asks for a code, but the command for it printed none. */
function noCodeFrom(why: string, cause?: unknown): Failure {
  return new Failure("otp", `the one-time-password command gave no code: ${why}`, {
    status: 401,
    cause,
    hint: "give a code with --otp CODE, or another command with --otp-command, GRANTCTL_OTP_COMMAND or otp_command",
  });
}

function questionText(
  { method, isAgain }: OneTimePasswordQuestion,
  { username, address }: OneTimePasswordOptions,
): string {
  const where = {
    app: "in the authenticator application",
    sms: "in the text message; some services send one only when something is created or changed",
    unknown: "where the service sends it",
  }[method];
  return `${isAgain ? "That code was refused. " : ""}One-time password of ${username} at ${address} (${where}):`;
}
