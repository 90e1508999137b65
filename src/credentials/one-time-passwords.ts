// The run's one-time passwords: one code shared by all requests in flight, one question at a time, a refused code
// never sent again, three tries. Codes come from a flag or the environment, a command, or a person, in that order.
import { Failure, usageFailure } from "../errors/errors.ts";
import type { OneTimePasswordMethod, OneTimePasswords } from "../http/one-time-password.ts";

const maxTries = 3;

export interface OneTimePasswordQuestion {
  readonly method: OneTimePasswordMethod;
  /** Whether the code before was refused. */
  readonly isAgain: boolean;
}

export interface OneTimePasswordSources {
  /** From a flag or the environment; sent from the first request on. */
  readonly given: string | null;
  /** Runs the configured command; null where there is none. */
  readonly runCommand: (() => Promise<string>) | null;
  /** Asks on the controlling terminal; rejects with what `orElse` makes where nobody can be asked. */
  readonly ask: (question: OneTimePasswordQuestion, orElse: () => Error) => Promise<string>;
}

/** Whether a text can be a code: one word of printable ASCII, because it becomes a header value. */
export function isOneTimePassword(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text.trim());
}

/** Checks a code that was given before the run; throws a usage failure. */
export function checkOneTimePassword(code: string): string {
  if (!isOneTimePassword(code)) throw usageFailure("a one-time password is one word of letters or digits");
  return code.trim();
}

/** The broker that all requests of a run share. */
export function createOneTimePasswords(sources: OneTimePasswordSources): OneTimePasswords {
  let code = sources.given === null ? null : checkOneTimePassword(sources.given);
  let isAccepted = false;
  let tries = 0;
  let pending: Promise<string> | null = null;
  const refused = new Set<string>();

  const refuse = (refusedCode: string): void => {
    // A code that worked before has only expired; the tries are counted for codes that never worked.
    if (isAccepted) tries = 0;
    else tries += 1;
    refused.add(refusedCode);
    code = null;
    isAccepted = false;
  };

  const obtain = async (method: OneTimePasswordMethod): Promise<string> => {
    const { runCommand, ask } = sources;
    const source =
      runCommand ?? (() => ask({ method, isAgain: tries > 0 }, () => noCode(method, refused.size > 0)));
    for (;;) {
      if (tries >= maxTries) throw tooManyTries(refused.size);
      const next = (await source()).trim();
      if (isOneTimePassword(next) && !refused.has(next)) return next;
      // The refused code once more, or no code at all, counts as a try but is not sent.
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
      // Another request in flight may have brought a newer code meanwhile.
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

function noCode(method: OneTimePasswordMethod, wasRefused: boolean): Failure {
  const where =
    method === "sms"
      ? " from the text message"
      : method === "app"
        ? " from the authenticator application"
        : "";
  return new Failure(
    "otp",
    wasRefused
      ? "the service refused the one-time password"
      : `the service asks for a one-time password${where}`,
    { status: 401, hint: "give it with --otp CODE, or a command that prints it with --otp-command" },
  );
}

function tooManyTries(refusedCodes: number): Failure {
  const message =
    refusedCodes >= maxTries
      ? `the service refused ${refusedCodes} one-time passwords`
      : "the service refused the one-time password, and no other one came";
  return new Failure("otp", message, {
    status: 401,
    hint: "a code from an authenticator application needs a clock that is right: check this machine's",
  });
}
