// The one-time-password layer (the specification, section 5.4): a 401 with `X-<Word>-OTP: required; …` asks for a
// code, and only the refused request is sent again with one. `OneTimePasswords` hides where codes come from.
import { withHeaders, type HttpAnswer, type Layer } from "./request.ts";

/** How the account receives codes; "unknown" for a word that the specification does not have. */
export type OneTimePasswordMethod = "app" | "sms" | "unknown";

/** The run's one-time passwords, shared by all requests in flight. */
export interface OneTimePasswords {
  /** The code to send with a request; null where none was needed yet. */
  current(): string | null;
  /**
   * The code to try after the service asked for one. `refused` is the code that was sent with the refused request; null
   * for none. Rejects with an `otp` failure where no code is to be had, or after three refused ones.
   */
  next(refused: string | null, method: OneTimePasswordMethod): Promise<string>;
  /** To be called when the service accepted this code. */
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

/** Whether a status shows that the service accepted the code; with another status, it may not have checked the code. */
function provesCode(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 404, 409, 410, 422].includes(status);
}

/** The header words under which these headers ask for a code, in lower case, as `github` of X-GitHub-OTP. */
export function challengingWords(headers: HttpAnswer["headers"]): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const word = /^x-([a-z0-9-]+)-otp$/.exec(name)?.[1];
    return word !== undefined && /^\s*required\b/i.test(value) ? [word] : [];
  });
}

/** A header word as its operator spells it. */
export function asOperatorsWrite(word: string): string {
  return word === "github" ? "GitHub" : word.replace(/^./, (first) => first.toUpperCase());
}

/** How the account receives the one-time password that this 401 asks for; null where the answer asks for none. */
export function challengeOf(answer: HttpAnswer, headerWord: string): OneTimePasswordMethod | null {
  if (answer.status !== 401) return null;
  const header = answer.headers[`x-${headerWord.toLowerCase()}-otp`];
  const challenge = header === undefined ? null : /^\s*required\b\s*(?:;\s*([^\s;,]*))?/i.exec(header);
  if (challenge === null) return null;
  const method = challenge[1]?.toLowerCase();
  return method === "app" || method === "sms" ? method : "unknown";
}
