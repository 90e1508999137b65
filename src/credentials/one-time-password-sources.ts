// Where a run's one-time passwords come from, and how a person is asked for one.
import type { Settings } from "../config/settings.ts";
import type { Prompter } from "../prompt/prompter.ts";
import type { OneTimePasswordQuestion, OneTimePasswordSources } from "./one-time-passwords.ts";

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

/** The sources in their order: given, by command, by a person. */
export function oneTimePasswordSources(surroundings: OneTimePasswordSurroundings): OneTimePasswordSources {
  const { settings, prompter, childEnvironment, onCode } = surroundings;
  const command = settings.otpCommand?.value;
  const heard = async (source: Promise<string>): Promise<string> => {
    const code = await source;
    onCode(code.trim());
    return code;
  };
  return {
    given: settings.otp?.value ?? null,
    runCommand: command === undefined ? null : () => heard(runOtpCommand(command, childEnvironment)),
    ask: (question, orElse) => heard(prompter.askText(questionText(question, surroundings), orElse)),
  };
}

async function runOtpCommand(line: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { createCommandRunner, splitCommand } = await import("./secret-command.ts");
  return createCommandRunner({ environment, timeoutMs: commandTimeoutMs })(splitCommand(line));
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
