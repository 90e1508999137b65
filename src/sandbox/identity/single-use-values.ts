// Hidden values in forms against cross-site request forgery: only a browser that was shown the form can send it back.
// Each value is valid once, for one purpose and some minutes, and cannot be guessed. In memory alone.
import { randomBytes } from "node:crypto";

export type SingleUseValues = ReturnType<typeof createSingleUseValues>;

const lifetimeMs = 15 * 60_000;
const mostValues = 10_000;

/** `now` is in milliseconds since the epoch. */
export function createSingleUseValues(now: () => number) {
  const issued = new Map<string, { readonly purpose: string; readonly expiresAt: number }>();
  return {
    /** A new value; the purpose names what the form does, and to what. */
    issue: (purpose: string): string => {
      const value = randomBytes(32).toString("base64url");
      issued.set(value, { purpose, expiresAt: now() + lifetimeMs });
      const [oldest] = issued.keys();
      if (issued.size > mostValues && oldest !== undefined) issued.delete(oldest);
      return value;
    },
    /** Whether the value is valid for this purpose. Afterwards it is not valid any more. */
    redeem: (value: string, purpose: string): boolean => {
      const found = issued.get(value);
      issued.delete(value);
      return found !== undefined && found.purpose === purpose && found.expiresAt > now();
    },
  };
}
