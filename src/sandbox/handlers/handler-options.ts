// The parts of the sandbox that handlers use, with a clock in seconds, the store's unit.
import type { RateLimit } from "../http/rate-limit.ts";
import type { OneTimePasswords } from "../identity/one-time-passwords.ts";
import type { OwnerNotices } from "../identity/owner-notices.ts";
import type { SingleSignOn } from "../identity/single-sign-on.ts";
import type { Behaviour } from "../operator.ts";
import type { Store } from "../store/store.ts";

export interface HandlerOptions {
  readonly store: Store;
  readonly behaviour: Behaviour;
  readonly oneTimePasswords: OneTimePasswords;
  readonly singleSignOn: SingleSignOn;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly perPage: number;
  /** The notices to the owners of reported tokens. */
  readonly notices: OwnerNotices;
  readonly rateLimit: Pick<RateLimit, "foresee">;
  /** Whole seconds since the epoch. */
  readonly nowInSeconds: () => number;
}

/** An id in a path; 0, which nothing has, for what cannot be one. */
export function readId(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}
