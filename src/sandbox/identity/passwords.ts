// The account's password, and its second factor: one-time passwords.
//
// Passwords may be short and chosen by people, so guessing one from a stolen file must be slow: they are hashed with
// scrypt. All other secrets are random and long, and `secrets.ts` hashes them with plain SHA-256. A scrypt hash takes
// longer than all other work on a request, so a correct password is cached in memory, hashed with a random key. A wrong
// one is never cached. For an account that does not exist, verification takes the same time.
//
// One-time passwords have three modes with one interface:
//
// | mode | a code is                               | sent                                           | valid for  |
// | ---- | --------------------------------------- | ---------------------------------------------- | ---------- |
// | none | not required                            |                                                |            |
// | app  | derived from secret and time (RFC 6238) | never; the user's app derives the same code    | 30 to 60 s |
// | sms  | random                                  | if a request that changes something lacks one  | 5 minutes  |
//
// A code can be used repeatedly while it is valid. Text messages are kept only in memory, and passed to `onTextMessage`
// instead of a phone.
import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { equalsConstantTime } from "./secrets.ts";

export interface HashedPassword {
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

export type Passwords = ReturnType<typeof createPasswords>;

const keyBytes = 32;

/** Scrypt's default N, for hashes on disk. */
export const diskCost = 16_384;

/** For a sandbox in memory: no file can be stolen, so the hash may be fast. */
export const memoryCost = 2;

/** `cost` is scrypt's N. */
export function createPasswords(cost: number) {
  const key = randomBytes(32).toString("hex");
  const verified = new Map<string, Buffer>();
  const dummyAccount: HashedPassword = {
    passwordSalt: randomBytes(16).toString("hex"),
    passwordHash: randomBytes(keyBytes).toString("hex"),
  };
  // Key and hash have a fixed length, so the concatenation is unambiguous. The digest is never stored or shown.
  const digest = ({ passwordHash }: HashedPassword, password: string): Buffer =>
    hash("sha256", `${key}${passwordHash}${password}`, "buffer");

  const remember = (account: HashedPassword, password: string): void => {
    verified.set(account.passwordHash, digest(account, password));
  };

  return {
    /** Hashes a new password with a new salt; both are hexadecimal. */
    hash: async (password: string): Promise<HashedPassword> => {
      const salt = randomBytes(16);
      const derived = await derive(password, salt, cost);
      const hashed = { passwordSalt: salt.toString("hex"), passwordHash: derived.toString("hex") };
      remember(hashed, password);
      return hashed;
    },
    /** Takes as long for an account that does not exist. */
    verify: async (account: HashedPassword | undefined, password: string): Promise<boolean> => {
      const checked = account ?? dummyAccount;
      const known = verified.get(checked.passwordHash);
      if (known !== undefined && timingSafeEqual(known, digest(checked, password))) return true;
      const derived = await derive(password, Buffer.from(checked.passwordSalt, "hex"), cost);
      const isCorrect = timingSafeEqual(derived, Buffer.from(checked.passwordHash, "hex"));
      if (isCorrect) remember(checked, password);
      return isCorrect;
    },
  };
}

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, { N: cost }, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
}

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
