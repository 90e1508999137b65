// The one-time-password layer: a 401 with `X-<Word>-OTP: required; …` requires a code; only the rejected request is sent
// again with it.
import { withHeaders, type HttpRequest, type RawResponse, type Layer } from "./request.ts";

/** The method by which the account receives codes; "unknown" if the specification does not define it. */
export type OneTimePasswordMethod = "app" | "sms" | "unknown";

export interface OneTimePasswords {
  /** The code to send with requests; null if none has been needed yet. */
  readonly current: () => string | null;
  /** Call when the server has accepted this code. */
  readonly accept: (code: string) => void;
  /**
   * The next code to try. `rejected` is the code in the rejected request, or null. Rejects with an `otp` failure if
   * there is no code, or after three rejected ones.
   */
  readonly next: (rejected: string | null, method: OneTimePasswordMethod) => Promise<string>;
}

/**
 * Sends the current code with each request; after a challenge, gets the next code and repeats only that request. Each
 * code is tried with a single request while all others wait, so that a wrong code is sent only once: servers lock
 * accounts after several wrong codes.
 */
export function oneTimePasswordLayer(headerWord: string, passwords: OneTimePasswords): Layer {
  /** The request that is trying a new code; the others wait for it. */
  const trial: { inFlight: Promise<unknown> | null } = { inFlight: null };
  /** The last code that was sent without being rejected in time; other requests may use it. */
  let tried: string | null = null;
  return (next) => {
    const sendWith = async (code: string | null, request: HttpRequest) => {
      const header = code === null ? {} : { [`x-${headerWord.toLowerCase()}-otp`]: code };
      const response = await next(withHeaders(request, header));
      const method = readChallenge(response, headerWord);
      // Marks the code as rejected before the other requests continue.
      if (method !== null) return { response, method, nextCode: passwords.next(code, method) };
      tried = code ?? tried;
      if (code !== null && provesCode(response.status)) passwords.accept(code);
      return { response, method, nextCode: null };
    };
    return async (request) => {
      let method: OneTimePasswordMethod | null = null;
      let code = passwords.current();
      for (;;) {
        while (trial.inFlight !== null && code !== null && code !== tried) {
          await trial.inFlight;
          code = method === null ? passwords.current() : await passwords.next(null, method);
        }
        const sent = sendWith(code, request);
        const end = (): void => void (trial.inFlight = null);
        if (code !== null && code !== tried) trial.inFlight = sent.then(end, end);
        const { response, ...challenge } = await sent;
        if (challenge.nextCode === null) return response;
        method = challenge.method;
        code = await challenge.nextCode;
      }
    };
  };
}

/** True if the status proves that the server accepted the code; otherwise it may not have checked the code. */
function provesCode(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 404, 409, 410, 422].includes(status);
}

/** The method by which the account receives the one-time password that this 401 requires; null if it requires none. */
function readChallenge(response: RawResponse, headerWord: string): OneTimePasswordMethod | null {
  if (response.status !== 401) return null;
  const header = response.headers[`x-${headerWord.toLowerCase()}-otp`];
  const challenge = header === undefined ? null : /^\s*required\b\s*(?:;\s*([^\s;,]*))?/i.exec(header);
  if (challenge === null) return null;
  const method = challenge[1]?.toLowerCase();
  return method === "app" || method === "sms" ? method : "unknown";
}
