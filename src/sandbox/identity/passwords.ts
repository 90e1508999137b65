// The account's password and its second factor, one-time passwords.
//
// Passwords may be short and chosen by people, so guessing one from a stolen file must be slow: they are hashed with
// scrypt. All other secrets are random and long, and `secrets.ts` hashes them with plain SHA-256. A hash takes longer
// than all other work on a request, so a correct password is cached, in memory and under a random key. A wrong one is
// never cached. Verification takes as long for an account that does not exist.
//
// One-time passwords have three modes with one interface:
//
// | mode | a code is                                     | sent when                                   | accepted    |
// | ---- | --------------------------------------------- | ------------------------------------------- | ----------- |
// | none | not needed                                    |                                             | always      |
// | app  | computed from the secret and time (RFC 6238)  | never; the user's app computes it, too      | 30 to 60 s  |
// | sms  | random                                        | a request that changes something lacks one  | 5 minutes   |
//
// A code can be used repeatedly while it is valid. Text messages are kept only in memory, and `onTextMessage` displays
// them instead of a telephone.
import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { isSameText } from "./secrets.ts";

export interface HashedPassword {
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;

const keyBytes = 32;

/** The cost of a hash on disk, which makes guessing slow: scrypt's default N. */
export const costOnDisk = 16_384;

/** The cost for a sandbox in memory: its hash is in no file that could be stolen, so a fast start is safe. */
export const costInMemory = 2;

/** Hashes a new password with a salt of its own; both in hexadecimal. `cost` is scrypt's N. */
export async function hashPassword(password: string, cost: number): Promise<HashedPassword> {
  const salt = randomBytes(16);
  const derived = await derive(password, salt, cost);
  return { passwordSalt: salt.toString("hex"), passwordHash: derived.toString("hex") };
}

/** A verifier for passwords that were hashed at this cost. */
export function createPasswordVerifier(cost: number) {
  const key = randomBytes(32).toString("hex");
  const verified = new Map<string, Buffer>();
  const nobody: HashedPassword = {
    passwordSalt: randomBytes(16).toString("hex"),
    passwordHash: randomBytes(keyBytes).toString("hex"),
  };
  // Key and hash have a fixed length, so no other password gives the same bytes. The sum is never stored or shown.
  const sum = ({ passwordHash }: HashedPassword, password: string): Buffer =>
    hash("sha256", `${key}${passwordHash}${password}`, "buffer");

  const remember = (account: HashedPassword, password: string): void => {
    verified.set(account.passwordHash, sum(account, password));
  };

  return {
    /** Remembers a password that is known to be the account's, as one that was verified. */
    remember,
    /** True if the password is the account's. Takes as long for an account that does not exist. */
    verify: async (account: HashedPassword | undefined, password: string): Promise<boolean> => {
      const checked = account ?? nobody;
      const known = verified.get(checked.passwordHash);
      if (known !== undefined && timingSafeEqual(known, sum(checked, password))) return true;
      const derived = await derive(password, Buffer.from(checked.passwordSalt, "hex"), cost);
      const isRight = timingSafeEqual(derived, Buffer.from(checked.passwordHash, "hex"));
      if (isRight) remember(checked, password);
      return isRight;
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

/** A code and its time, in milliseconds since the epoch. */
export interface SentCode {
  readonly login: string;
  readonly code: string;
  readonly sentAt: number;
  readonly expiresAt: number;
}

export interface OneTimePasswords {
  readonly mode: OtpMode;
  accepts(login: string, code: string | undefined): boolean;
  /** To be called when a code is missing or wrong: sends a text message if the request would change something. */
  challenge(login: string, method: string): void;
  /** The codes that are valid now, the newest last. */
  list(): readonly SentCode[];
  /** A code that stays valid for some seconds, created if necessary. Null in mode none. */
  provide(login: string): SentCode | null;
}

interface OneTimePasswordOptions {
  readonly mode: OtpMode;
  readonly login: string;
  /** Base32. */
  readonly totpSecret: string;
  readonly now: () => number;
  readonly onTextMessage: (message: { login: string; code: string }) => void;
}

const periodMs = 30_000;
const textMessageMs = 5 * 60_000;
/** Enough time for a person's script to use a code that was provided. */
const spareMs = 15_000;
const largestMailbox = 1000;

/** A new secret for an authenticator application, 160 bits in base32. */
export function createTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The one-time passwords of this mode. */
export function createOneTimePasswords(options: OneTimePasswordOptions): OneTimePasswords {
  return factories[options.mode](options);
}

const factories: Readonly<Record<OtpMode, (options: OneTimePasswordOptions) => OneTimePasswords>> = {
  none: () => ({
    mode: "none",
    accepts: () => true,
    challenge: () => {},
    list: () => [],
    provide: () => null,
  }),
  app: createAppCodes,
  sms: createTextMessages,
};

function createAppCodes({ login, totpSecret, now }: OneTimePasswordOptions): OneTimePasswords {
  const totp = new TOTP({
    secret: Secret.fromBase32(totpSecret),
    algorithm: "SHA1",
    digits: 6,
    period: periodMs / 1000,
  });
  const codeAt = (timestamp: number): string => totp.generate({ timestamp });
  const current = (): SentCode => {
    const sentAt = Math.floor(now() / periodMs) * periodMs;
    return { login, code: codeAt(sentAt), sentAt, expiresAt: sentAt + 2 * periodMs };
  };
  return {
    mode: "app",
    accepts: (_login, code) => {
      const isCurrent = isSameText(code ?? "", codeAt(now()));
      const isPrevious = isSameText(code ?? "", codeAt(now() - periodMs));
      return isCurrent || isPrevious;
    },
    challenge: () => {},
    list: () => [current()],
    provide: current,
  };
}

function createTextMessages({ now, onTextMessage }: OneTimePasswordOptions): OneTimePasswords {
  let sent: readonly SentCode[] = [];
  const good = (): readonly SentCode[] => {
    sent = sent.filter(({ expiresAt }) => expiresAt > now());
    return sent;
  };
  const send = (login: string): SentCode => {
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const message = { login, code, sentAt: now(), expiresAt: now() + textMessageMs };
    sent = [...good(), message].slice(-largestMailbox);
    onTextMessage({ login, code });
    return message;
  };
  return {
    mode: "sms",
    accepts: (login, code) =>
      code !== undefined &&
      good().some((message) => message.login === login && isSameText(message.code, code)),
    challenge: (login, method) => {
      if (["POST", "PUT", "PATCH"].includes(method)) send(login);
    },
    list: good,
    provide: (login) => {
      const newest = good().findLast((message) => message.login === login);
      return newest !== undefined && newest.expiresAt - now() >= spareMs ? newest : send(login);
    },
  };
}
