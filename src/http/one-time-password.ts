// The one-time-password layer (the specification, section 5.4): a 401 that carries `X-<Word>-OTP: required; …` asks
// for a code, and only the refused request is sent again with it. Where codes come from is not known here.
import { withHeaders, type HttpAnswer, type Layer } from "./request.ts";

/** How the account receives codes; "unknown" for a word that the specification does not have. */
export type OneTimePasswordMethod = "app" | "sms" | "unknown";

/** The run's one-time passwords, shared by all requests in flight. */
export interface OneTimePasswords {
  /** The code to send with a request, if there is one by now. */
  current(): string | null;
  /**
   * A code to try after the service asked for one. `refused` is the code the asking answer was given to.
   * Rejects with an `otp` failure when there is none, or when three were refused.
   */
  next(refused: string | null, method: OneTimePasswordMethod): Promise<string>;
  /** The service took this code. */
  accept(code: string): void;
}

/** Sends the current code along, and on a challenge asks for the next one and repeats that request alone. */
export function oneTimePasswordLayer(headerWord: string, passwords: OneTimePasswords): Layer {
  return (next) => async (request) => {
    let code = passwords.current();
    for (;;) {
      const answer = await next(
        code === null ? request : withHeaders(request, { [`X-${headerWord}-OTP`]: code }),
      );
      const method = challengeOf(answer, headerWord);
      if (method === null) {
        if (code !== null && provesCode(answer.status)) passwords.accept(code);
        return answer;
      }
      code = await passwords.next(code, method);
    }
  };
}

/** Whether a status shows that the service accepted the code; with other statuses, it may not have looked at it. */
function provesCode(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 404, 409, 410, 422].includes(status);
}

/** The words of the operators in whose names these headers ask for a code, in lower case, as `github` in X-GitHub-OTP. */
export function challengingWords(headers: HttpAnswer["headers"]): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const word = /^x-([a-z0-9-]+)-otp$/.exec(name)?.[1];
    return word !== undefined && /^\s*required\b/i.test(value) ? [word] : [];
  });
}

/** Such a word in the case that people know it in. */
export function asOperatorsWrite(word: string): string {
  return word === "github" ? "GitHub" : word.replace(/^./, (first) => first.toUpperCase());
}

/** The method a 401 asks a one-time password by, or null when the answer asks for none. */
export function challengeOf(answer: HttpAnswer, headerWord: string): OneTimePasswordMethod | null {
  if (answer.status !== 401) return null;
  const header = answer.headers[`x-${headerWord.toLowerCase()}-otp`];
  const challenge = header === undefined ? null : /^\s*required\b\s*(?:;\s*([^\s;,]*))?/i.exec(header);
  if (challenge === null) return null;
  const method = challenge[1]?.toLowerCase();
  return method === "app" || method === "sms" ? method : "unknown";
}
