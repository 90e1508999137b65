// Injected faults: their definitions, and the choice of requests that they affect.
//
// The table `faults` defines each fault: its syntax on the command line, its help text, the parser of its value, and
// its effect on a request. A new fault is a new row; no other code names one.
//
// - The faults of a request depend only on the seed and the request's number, so that a run can be repeated. Requests
//   are numbered from 1, in the order of the calls. Each fault is decided independently, so that adding one at the end
//   of the list does not change the others.
// - A dropped response always belongs to a request that was processed, and an injected status never does. If several
//   statuses apply, the first one wins; delays add up.
// - This module only decides. The server delays and truncates responses.
import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { ServiceResponse, Delivery } from "./response.ts";

/** The faults of one request. */
interface FaultPlan {
  /** Returned without processing the request; null to process it. */
  readonly status: number | null;
  readonly isDropped: boolean;
  readonly delayMs: number;
}

/** A fault to inject. */
export interface Fault {
  /** From 0 to 1. */
  readonly probability: number;
  /** Adds this fault to the plan for a request. */
  readonly apply: (plan: FaultPlan) => FaultPlan;
}

interface FaultDefinition {
  /** The syntax of its `--fault` value. */
  readonly usage: string;
  readonly description: string;
  /** Parses the text after the equals sign; null if it is invalid. */
  readonly parse: (text: string) => Fault | null;
}

const faults: Readonly<Record<string, FaultDefinition>> = {
  "drop-answer": {
    usage: "drop-answer=P",
    description: "Process the request, then close the connection before or during the response",
    parse: (text) => readFault(text, (plan) => ({ ...plan, isDropped: true })),
  },
  status: {
    usage: "status=CODE:P",
    description: "Respond with CODE (400 to 599) without processing the request",
    parse: (text) => {
      const { amount, chance = "" } = splitAmount(text);
      if (!(amount >= 400 && amount <= 599)) return null;
      return readFault(chance, (plan) => ({ ...plan, status: plan.status ?? amount }));
    },
  },
  delay: {
    usage: "delay=MS[:P]",
    description: "Delay the response by MS milliseconds (P defaults to 1)",
    parse: (text) => {
      const { amount, chance = "1" } = splitAmount(text);
      if (Number.isNaN(amount)) return null;
      return readFault(chance, (plan) => ({ ...plan, delayMs: plan.delayMs + amount }));
    },
  },
};

/** The ranges of the placeholders in `usage`. */
export const faultBounds = "P is from 0 to 1 and CODE from 400 to 599";

/** In the order of help. */
export const faultDescriptions: readonly (readonly [usage: string, description: string])[] = Object.values(
  faults,
).map(({ usage, description }) => [usage, description]);

/** Parses a value of `--fault`; null if it is invalid. */
export function parseFault(text: string): Fault | null {
  const [, name = "", value = ""] = /^([a-z-]+)=(.*)$/.exec(text) ?? [];
  return Object.hasOwn(faults, name) ? (faults[name]?.parse(value) ?? null) : null;
}

/** Returns the response of `respond`, or a faulty one. Each call counts as one request. */
export type FaultInjector = (respond: () => Promise<ServiceResponse>) => Promise<ServiceResponse>;

/** Creates an error response in the operator's format. */
type CreateFailure = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
) => ServiceResponse;

export function createFaultInjector(
  configured: readonly Fault[],
  seed: number,
  createFailure: CreateFailure,
): FaultInjector {
  if (configured.length === 0) return (respond) => respond();
  let number = 0;
  return async (respond) => {
    number += 1;
    const current = number;
    const { status, isDropped, delayMs } = planFaults(configured, seed, current);
    const response = status === null ? await respond() : faultResponse(status, createFailure);
    const delivery: Delivery = { delayMs, cut: isDropped && status === null ? drawCut(seed, current) : null };
    return { ...response, delivery };
  };
}

function planFaults(configured: readonly Fault[], seed: number, number: number): FaultPlan {
  const noFaults: FaultPlan = { status: null, isDropped: false, delayMs: 0 };
  return configured
    .filter(({ probability }, index) => draw(seed, number, `fault ${index}`) < probability)
    .reduce((plan, fault) => fault.apply(plan), noFaults);
}

function drawCut(seed: number, number: number): Delivery["cut"] {
  const part = Math.floor(draw(seed, number, "part") * 3);
  const within = (["nothing", "headers", "body"] as const)[part] ?? "body";
  return { within, share: draw(seed, number, "share") };
}

function faultResponse(status: number, createFailure: CreateFailure): ServiceResponse {
  const message = `${STATUS_CODES[status] ?? `Status ${status}`}: a fault of the sandbox, nothing was done`;
  return createFailure(status, message, status === 429 || status === 503 ? { "Retry-After": "1" } : {});
}

/** A pseudo-random number from 0, below 1; the same for the same arguments. */
function draw(seed: number, number: number, purpose: string): number {
  return createHash("sha256").update(`${seed} ${number} ${purpose}`).digest().readUInt32BE() / 2 ** 32;
}

/** Splits `AMOUNT[:P]`; the amount is NaN if it is invalid. */
function splitAmount(text: string): { readonly amount: number; readonly chance: string | undefined } {
  const [, digits, chance] = /^(\d{1,9})(?::(.*))?$/.exec(text) ?? [];
  return { amount: Number(digits), chance };
}

/** Null if `chance` is not a probability. */
function readFault(chance: string, apply: Fault["apply"]): Fault | null {
  const probability = /^[\d.]+(?:e-?\d+)?$/i.test(chance) ? Number(chance) : Number.NaN;
  return probability >= 0 && probability <= 1 ? { probability, apply } : null;
}
