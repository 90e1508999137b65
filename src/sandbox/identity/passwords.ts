// The account's password: hashed with scrypt, and verified.
//
// Passwords may be short and chosen by people, so guessing one from a stolen file must be slow. Everything else that is
// secret is random and long, and `secrets.ts` hashes it with plain SHA-256.
//
// A hash takes longer than all other work on a request. A password that was right is therefore remembered, in memory
// and under a random key, so that the next request with it is quick. One that was wrong is never remembered. To verify
// a password takes as long for an account that does not exist.
import { hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

export interface HashedPassword {
  readonly passwordSalt: string;
  readonly passwordHash: string;
}

export type PasswordVerifier = ReturnType<typeof createPasswordVerifier>;

const keyBytes = 32;

/** The cost of a hash on disk, which makes guessing slow: scrypt's default N. */
export const costOnDisk = 16_384;

/** The cost of a sandbox in memory: its hash is in no file that could be stolen, so the start need not wait for it. */
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
    /** Whether the password is the account's. Takes as long for an account that does not exist. */
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
