// Whether the service has taken the credentials of this run: only then does "not found" say something of an item. Any
// success proves them, a read as well as a write.
import type { Service } from "../http/service.ts";

export interface Proof {
  isGiven(): boolean;
  /** Notes that the service took the credentials. */
  give(): void;
}

/** Credentials that nothing has proven yet. */
export function createProof(): Proof {
  let isGiven = false;
  return {
    isGiven: () => isGiven,
    give() {
      isGiven = true;
    },
  };
}

/** The same service; every success of it proves the credentials. */
export function proving(service: Service, proof: Proof): Service {
  return {
    ...service,
    async exchange(call) {
      const exchange = await service.exchange(call);
      proof.give();
      return exchange;
    },
  };
}
