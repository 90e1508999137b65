// Where a run's one-time passwords come from, and how a person is asked for one.
import type { Settings } from "../config/settings.ts";
import { Failure } from "../errors/errors.ts";
import type { Prompter } from "../prompt/prompter.ts";
import {
  isOneTimePassword,
  type OneTimePasswordQuestion,
  type OneTimePasswordSources,
} from "./one-time-passwords.ts";

/** A code may wait for a person at a hardware key; a command that takes longer has lost its way. */
const commandTimeoutMs = 60_000;

export interface OneTimePasswordSurroundings {
  readonly settings: Settings;
  readonly prompter: Prompter;
  /** Called with every code before it is sent. */
  readonly onCode: (code: string) => void;
  /** What a command inherits. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  /** Whose code it is, and where: the only address that a question may name. */
  readonly username: string;
  readonly address: string;
}

/** The sources in their order: given, by command, by a person. Throws a usage failure for a command that is none. */
export async function oneTimePasswordSources(
  surroundings: OneTimePasswordSurroundings,
): Promise<OneTimePasswordSources> {
  const { settings, prompter, onCode } = surroundings;
  const heard = async (source: Promise<string>): Promise<string> => {
    const code = await source;
    onCode(code.trim());
    return code;
  };
  const runCommand =
    settings.otpCommand === undefined ? null : await otpCommand(settings.otpCommand.value, surroundings);
  return {
    given: settings.otp?.value ?? null,
    runCommand: runCommand === null ? null : () => heard(runCommand()),
    // People type a code as it is shown to them, in groups.
    ask: (question, orElse) =>
      heard(
        prompter
          .askText(questionText(question, surroundings), orElse)
          .then((code) => code.replaceAll(/\s/g, "")),
      ),
  };
}

async function otpCommand(
  line: string,
  { childEnvironment }: OneTimePasswordSurroundings,
): Promise<() => Promise<string>> {
  const { createCommandRunner, splitCommand } = await import("./secret-command.ts");
  const words = splitCommand(line);
  const run = createCommandRunner({ environment: childEnvironment, timeoutMs: commandTimeoutMs });
  return async () => {
    const code = await run(words);
    if (isOneTimePassword(code)) return code;
    throw new Failure(
      "authentication",
      `the command ${words[0]} printed something that is no one-time password`,
    );
  };
}

function questionText(
  { method, isAgain }: OneTimePasswordQuestion,
  { username, address }: OneTimePasswordSurroundings,
): string {
  const where = {
    app: "in the authenticator application",
    sms: "in the text message; some services send one only when something is created or changed",
    unknown: "where the service sends it",
  }[method];
  return `${isAgain ? "That code was refused. " : ""}One-time password of ${username} at ${address} (${where}):`;
}
