// The one-time-password layer (the specification, section 5.4): a 401 with `X-<Word>-OTP: required; …` asks for a
// code, and only the refused request is sent again with one. `OneTimePasswords` hides where codes come from.
import { capitalised } from "../errors/words.ts";
import { isFailure } from "../errors/errors.ts";
import { withHeaders, type RawResponse, type Layer } from "./request.ts";

/** The method by which the account receives codes; "unknown" for a word that the specification does not have. */
export type OneTimePasswordMethod = "app" | "sms" | "unknown";

/** The run's one-time passwords, shared by all requests in flight. */
export interface OneTimePasswords {
  /** The code to send with a request; null if none was needed yet. */
  current(): string | null;
  /**
   * The code to try after the service asked for one. `refused` is the code that was sent with the refused request; null
   * for none. Rejects with an `otp` failure if there is no code, or after three rejected ones.
   */
  next(refused: string | null, method: OneTimePasswordMethod): Promise<string>;
  /** To be called when the service accepted this code. */
  accept(code: string): void;
}

/** The request with which a code is tried; `ended` resolves when it is known whether the service refused the code. */
interface Trial {
  readonly code: string;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/**
 * Sends the current code along, and on a challenge asks for the next one and repeats that request alone. A code goes
 * with one request first, for which all others wait: a wrong one is sent once, because services shut out accounts after
 * several wrong ones.
 */
export function oneTimePasswordLayer(headerWord: string, passwords: OneTimePasswords): Layer {
  let trial: Trial | null = null;
  /** The last code that was sent and not refused, or not in time. */
  let tried: string | null = null;
  return (next) => async (request) => {
    let method: OneTimePasswordMethod | null = null;
    let code = passwords.current();
    for (;;) {
      // A code that was refused while this request waited for its turn is not sent either.
      while (code !== null && (trial?.code === code || code !== passwords.current())) {
        await trial?.ended;
        code = method === null ? passwords.current() : await passwords.next(null, method);
      }
      const own = code === null || code === tried ? null : (trial = startTrial(code));
      let nextCode: Promise<string>;
      try {
        const response = await next(
          code === null ? request : withHeaders(request, { [`X-${headerWord}-OTP`]: code }),
        );
        method = challengeOf(response, headerWord);
        if (method === null) {
          tried = code ?? tried;
          if (code !== null && provesCode(response.status)) passwords.accept(code);
          return response;
        }
        // The code has to be known as refused before others may go on.
        nextCode = passwords.next(code, method);
      } catch (error) {
        // Otherwise all others would wait for one time limit after the other.
        if (isFailure(error) && error.details.isTimedOut === true) tried = code ?? tried;
        throw error;
      } finally {
        if (own !== null) {
          trial = null;
          own.end();
        }
      }
      code = await nextCode;
    }
  };
}

function startTrial(code: string): Trial {
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { code, ended, end: () => end?.() };
}

/** True if a status shows that the service accepted the code; with another status, it may not have checked the code. */
function provesCode(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 404, 409, 410, 422].includes(status);
}

/**
 * The header words under which these headers ask for a code, or for single sign-on, in lower case: `github` of
 * X-GitHub-OTP.
 */
export function challengingWords(
  headers: RawResponse["headers"],
  about: "otp" | "sso" = "otp",
): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const word = new RegExp(`^x-([a-z0-9-]+)-${about}$`).exec(name)?.[1];
    return word !== undefined && /^\s*required\b/i.test(value) ? [word] : [];
  });
}

/** A header word as its operator spells it. */
export function asOperatorsWrite(word: string): string {
  return word === "github" ? "GitHub" : capitalised(word);
}

/** The method by which the account receives the one-time password that this 401 requires; null if it requires none. */
export function challengeOf(response: RawResponse, headerWord: string): OneTimePasswordMethod | null {
  if (response.status !== 401) return null;
  const header = response.headers[`x-${headerWord.toLowerCase()}-otp`];
  const challenge = header === undefined ? null : /^\s*required\b\s*(?:;\s*([^\s;,]*))?/i.exec(header);
  if (challenge === null) return null;
  const method = challenge[1]?.toLowerCase();
  return method === "app" || method === "sms" ? method : "unknown";
}
