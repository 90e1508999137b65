// Faults on purpose: decides which requests go wrong, and how. The decision for a request follows from the seed and
// its number alone, so that a run can be repeated. A dropped answer always means a request that was carried out, and
// a status that is a fault never does. Leaves the waiting and the cutting to the server.
import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { failure, type Answer, type Delivery } from "./answer.ts";

/** What may go wrong, and with which probability, 0 to 1. */
export type Fault =
  | { readonly kind: "drop-answer"; readonly probability: number }
  | { readonly kind: "lie"; readonly probability: number }
  | { readonly kind: "status"; readonly status: number; readonly probability: number }
  | { readonly kind: "delay"; readonly delayMs: number; readonly probability: number };

/**
 * Answers a request: with the answer of `carryOut`, or with another one in its place. Each call counts as one request.
 * `isToLie`: a check is to call a live token dead.
 */
export type Disturb = (carryOut: (isToLie: boolean) => Promise<Answer>) => Promise<Answer>;

/**
 * Requests are numbered in the order of the calls, from 1. Of several status faults that hit, the first one decides;
 * delays add up. Each fault is decided independently, so that adding one at the end of the list changes no other.
 */
export function createFaults(faults: readonly Fault[], seed: number): Disturb {
  if (faults.length === 0) return (carryOut) => carryOut(false);
  let number = 0;
  return async (carryOut) => {
    number += 1;
    const { status, isToLie, delivery } = decide(faults, seed, number);
    const answer = status === null ? await carryOut(isToLie) : answerFault(status);
    return { ...answer, delivery };
  };
}

interface Decision {
  /** The status to answer without carrying the request out; null to carry it out. */
  readonly status: number | null;
  readonly isToLie: boolean;
  readonly delivery: Delivery;
}

function decide(faults: readonly Fault[], seed: number, number: number): Decision {
  const hits = faults.filter(({ probability }, index) => draw(seed, number, `fault ${index}`) < probability);
  const status = hits.find((fault) => fault.kind === "status")?.status ?? null;
  const delays = hits.filter((fault) => fault.kind === "delay").map(({ delayMs }) => delayMs);
  const isDropped = status === null && hits.some(({ kind }) => kind === "drop-answer");
  const part = Math.floor(draw(seed, number, "part") * 3);
  return {
    status,
    isToLie: hits.some(({ kind }) => kind === "lie"),
    delivery: {
      delayMs: delays.reduce((sum, delayMs) => sum + delayMs, 0),
      cut: isDropped
        ? {
            within: (["nothing", "headers", "body"] as const)[part] ?? "body",
            share: draw(seed, number, "share"),
          }
        : null,
    },
  };
}

function answerFault(status: number): Answer {
  const message = `${STATUS_CODES[status] ?? `Status ${status}`}: a fault on purpose, nothing was done`;
  return failure(status, message, status === 429 || status === 503 ? { "Retry-After": "1" } : {});
}

/** At least 0 and less than 1, evenly spread; the same for the same seed, number and use. */
function draw(seed: number, number: number, use: string): number {
  return createHash("sha256").update(`${seed} ${number} ${use}`).digest().readUInt32BE() / 2 ** 32;
}
