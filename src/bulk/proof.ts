// Whether the service has accepted the credentials of this run. The service answers "not found" to wrong credentials
// too, so only with proven ones does it mean that the item is gone. Any success proves them, of a read or a write.
import type { Service } from "../http/service.ts";

export interface Proof {
  isGiven(): boolean;
  /** Notes that the service accepted the credentials. */
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

/** A login, and the proof that its service gives with every success. */
export type Proven<Login extends { readonly service: Service }> = Login & { readonly proof: Proof };

/** The same login, with a service whose every success proves the credentials. */
export function withProof<Login extends { readonly service: Service }>(login: Login): Proven<Login> {
  const proof = createProof();
  const { service } = login;
  return {
    ...login,
    proof,
    service: {
      ...service,
      async exchange(call) {
        const exchange = await service.exchange(call);
        proof.give();
        return exchange;
      },
    },
  };
}
