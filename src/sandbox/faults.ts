// Misbehaviour on purpose, for testing scripts. Which requests a fault affects follows from the seed and their number, so that
// a run can be repeated; each fault is drawn on its own.
import { hash } from "node:crypto";

export interface Fault {
  /** A dropped answer belongs to a request that was processed, a status never does. */
  readonly kind: "drop-answer" | "status" | "delay";
  /** The status, or milliseconds. */
  readonly amount: number;
  /** From 0 to 1. */
  readonly probability: number;
}

/** In the order of help. P is from 0 to 1, CODE from 400 to 599. */
export const faultForms = {
  "drop-answer=P": "Process the request, then close the connection without a response",
  "status=CODE:P": "Respond with CODE (400 to 599) without processing the request",
  "delay=MS[:P]": "Delay the response by MS milliseconds (P defaults to 1)",
} as const;

export function parseFault(text: string): Fault | null {
  const [, kind, digits = "0", chance = "1"] =
    /^(drop-answer)=()([\d.]+)$/.exec(text) ??
    /^(status)=([45]\d\d):([\d.]+)$/.exec(text) ??
    /^(delay)=(\d{1,9})(?::([\d.]+))?$/.exec(text) ??
    [];
  const probability = Number(chance);
  if (kind === undefined || !(probability <= 1)) return null;
  return { kind: kind as Fault["kind"], amount: Number(digits), probability };
}

/** Each call is one request, and returns the faults that affect it. */
export function createFaults(faults: readonly Fault[], seed: number): () => readonly Fault[] {
  let request = 0;
  return () => {
    request += 1;
    return faults.filter(
      ({ probability }, index) =>
        hash("sha256", `${seed} ${request} fault ${index}`, "buffer").readUInt32BE() / 2 ** 32 < probability,
    );
  };
}
