// Whether the service has accepted the credentials of this run. It answers "not found" to wrong credentials, too, so
// "not found" means that an item is gone only after a success of any read or write has proven the credentials.
import type { Service } from "../http/service.ts";

export interface Proof {
  isGiven(): boolean;
  /** Notes that the service accepted the credentials. */
  give(): void;
}

/** The proof of credentials that no success has proven yet. */
export function createProof(): Proof {
  let isGiven = false;
  return {
    isGiven: () => isGiven,
    give() {
      isGiven = true;
    },
  };
}

/** A login with the proof that any success of its service gives. */
export type Proven<Login extends { readonly service: Service }> = Login & { readonly proof: Proof };

/** The same login, with a service whose every success, once it is found to be one, proves the credentials. */
export function withProof<Login extends { readonly service: Service }>(login: Login): Proven<Login> {
  const proof = createProof();
  const { service } = login;
  return {
    ...login,
    proof,
    service: {
      ...service,
      async exchange(call) {
        const { request, answer } = await service.exchange(call);
        return { request, answer, accept: () => proof.give() };
      },
    },
  };
}
