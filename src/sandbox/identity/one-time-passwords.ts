// One-time passwords: the second factor of the account, in three modes with one interface:
//
// | mode | a code is                               | sent                                           | valid for  |
// | ---- | --------------------------------------- | ---------------------------------------------- | ---------- |
// | none | not required                            |                                                |            |
// | app  | derived from secret and time (RFC 6238) | never; the user's app derives the same code    | 30 to 60 s |
// | sms  | random                                  | if a request that changes something lacks one  | 5 minutes  |
//
// A code can be used repeatedly while it is valid. Text messages are kept only in memory, and passed to `onTextMessage`
// instead of a phone.
import { randomInt } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { equalsConstantTime } from "./secrets.ts";

type OtpMode = "none" | "app" | "sms";

export interface OneTimePasswords {
  readonly mode: OtpMode;
  accepts(login: string, code: string | undefined): boolean;
  /** Must be called if a code is missing or wrong: sends a text message if the request would change something. */
  challenge(login: string, method: string): void;
  /** A code that stays valid for some seconds, created if necessary. Null in mode `none`. */
  provide(login: string): string | null;
}

interface OneTimePasswordOptions {
  readonly mode: OtpMode;
  /** Base32. */
  readonly totpSecret: string;
  readonly now: () => number;
  readonly onTextMessage: (message: { login: string; code: string }) => void;
}

const periodMs = 30_000;
const textMessageMs = 5 * 60_000;
/** Enough time for a script to use a code from `provide`. */
const minimumValidityMs = 15_000;
const maxMessages = 1000;

/** 160 bits in base32, for an authenticator application. */
export function createTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

export function createOneTimePasswords(options: OneTimePasswordOptions): OneTimePasswords {
  if (options.mode === "app") return createAppCodes(options);
  if (options.mode === "sms") return createTextMessages(options);
  return { mode: "none", accepts: () => true, challenge: () => {}, provide: () => null };
}

function createAppCodes({ totpSecret, now }: OneTimePasswordOptions): OneTimePasswords {
  const totp = new TOTP({
    secret: Secret.fromBase32(totpSecret),
    algorithm: "SHA1",
    digits: 6,
    period: periodMs / 1000,
  });
  const codeAt = (timestamp: number): string => totp.generate({ timestamp });
  return {
    mode: "app",
    accepts: (_login, code) => {
      const isCurrent = equalsConstantTime(code ?? "", codeAt(now()));
      const isPrevious = equalsConstantTime(code ?? "", codeAt(now() - periodMs));
      return isCurrent || isPrevious;
    },
    challenge: () => {},
    provide: () => codeAt(now()),
  };
}

interface SentCode {
  readonly login: string;
  readonly code: string;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

function createTextMessages({ now, onTextMessage }: OneTimePasswordOptions): OneTimePasswords {
  let sent: readonly SentCode[] = [];
  const validMessages = (): readonly SentCode[] => {
    sent = sent.filter(({ expiresAt }) => expiresAt > now());
    return sent;
  };
  const send = (login: string): string => {
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const message = { login, code, expiresAt: now() + textMessageMs };
    sent = [...validMessages(), message].slice(-maxMessages);
    onTextMessage({ login, code });
    return code;
  };
  return {
    mode: "sms",
    accepts: (login, code) =>
      code !== undefined &&
      validMessages().some((message) => message.login === login && equalsConstantTime(message.code, code)),
    challenge: (login, method) => {
      if (["POST", "PUT", "PATCH"].includes(method)) send(login);
    },
    provide: (login) => {
      const newest = validMessages().findLast((message) => message.login === login);
      return newest !== undefined && newest.expiresAt - now() >= minimumValidityMs
        ? newest.code
        : send(login);
    },
  };
}
