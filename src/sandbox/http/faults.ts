// Injected faults: their table, and the choice of the requests that they affect.
//
// The table `faults` defines each fault: the format of its flag, its help text, the parser of its value, and its effect
// on a request. A new fault is a new row; no other code names one.
//
// Rules:
// - The faults of a request depend only on the seed and the request's number, so that a run can be repeated.
//   Requests are numbered in the order of the calls, from 1. Each fault is decided independently, so that adding one at
//   the end of the list changes no other.
// - Two faults concern an application's own tokens and change the handler's work, not the response: a check that does
// not
//   find an active token, and a revocation without effect. Handlers get them as a `Deviation`.
// - A dropped response always belongs to a request that was processed; an injected status never does. If several
//   statuses apply, the first one wins; delays add up.
// - This module decides. The server waits and cuts.
import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { ServiceResponse, Delivery } from "./response.ts";

/** The departure of a handler from the rules in one request. */
export interface Deviation {
  /** True if a check reports an active token as unknown. */
  readonly reportsInactive: boolean;
  /** True if a revocation is accepted and has no effect. */
  readonly ignoresRevocation: boolean;
}

/** The faults of one request. */
interface Decision extends Deviation {
  /** The status to return without processing the request; null to process it. */
  readonly status: number | null;
  readonly isDropped: boolean;
  readonly delayMs: number;
}

interface Likely {
  /** 0 to 1. */
  readonly probability: number;
}

interface FaultRow<Details extends Likely> {
  /** The value of `--fault`, as help shows it. */
  readonly form: string;
  readonly explanation: string;
  /** Parses the text after the equals sign; null if it has another format. */
  parse(text: string): Details | null;
  /** The decision about a request that this fault hits, after the faults before it. */
  decide(before: Decision, fault: Details): Decision;
}

const faults = {
  "drop-answer": row({
    form: "drop-answer=P",
    explanation: "Process the request, then close the connection before or during the response",
    parse: (text) => readProbability(text),
    decide: (before) => ({ ...before, isDropped: true }),
  }),
  lie: row({
    form: "lie=P",
    explanation: "When an active token is checked, respond as if the token did not exist",
    parse: (text) => readProbability(text),
    decide: (before) => ({ ...before, reportsInactive: true }),
  }),
  "ignore-revocation": row({
    form: "ignore-revocation=P",
    explanation: "Report success when an application revokes a token, but leave the token active",
    parse: (text) => readProbability(text),
    decide: (before) => ({ ...before, ignoresRevocation: true }),
  }),
  status: row({
    form: "status=CODE:P",
    explanation: "Respond with CODE (400 to 599) without processing the request",
    parse: (text) => {
      const { amount, chance = "" } = splitAmount(text);
      const probability = readProbability(chance);
      return amount >= 400 && amount <= 599 && probability !== null
        ? { status: amount, ...probability }
        : null;
    },
    decide: (before, { status }) => ({ ...before, status: before.status ?? status }),
  }),
  delay: row({
    form: "delay=MS[:P]",
    explanation: "Delay the response by MS milliseconds (P defaults to 1)",
    parse: (text) => {
      const { amount, chance = "1" } = splitAmount(text);
      const probability = readProbability(chance);
      return Number.isNaN(amount) || probability === null ? null : { delayMs: amount, ...probability };
    },
    decide: (before, { delayMs }) => ({ ...before, delayMs: before.delayMs + delayMs }),
  }),
} as const;

/** The bounds of the letters in the forms. */
export const faultBounds = "P is from 0 to 1 and CODE from 400 to 599";

type FaultKind = keyof typeof faults;
type DetailsOf<Kind extends FaultKind> = NonNullable<ReturnType<(typeof faults)[Kind]["parse"]>>;

/** The possible faults, each with its probability. */
export type Fault = {
  readonly [Kind in FaultKind]: { readonly kind: Kind } & DetailsOf<Kind>;
}[FaultKind];

const rows: Readonly<Record<FaultKind, FaultRow<Likely>>> = faults;

/** Each fault's form and explanation, in the order of help. */
export const faultTerms: readonly (readonly [form: string, explanation: string])[] = Object.values(rows).map(
  ({ form, explanation }) => [form, explanation],
);

/** The fault that a value of `--fault` names, or null. */
export function parseFault(text: string): Fault | null {
  const [, kind = "", value = ""] = /^([a-z-]+)=(.*)$/.exec(text) ?? [];
  if (!Object.hasOwn(rows, kind)) return null;
  const details = rows[kind as FaultKind].parse(value);
  return details === null ? null : ({ ...details, kind } as Fault);
}

/**
 * Handles a request: returns the response of `carryOut`, or another one instead. Each call counts as one request.
 */
export type Disturb = (
  carryOut: (deviation: Deviation) => Promise<ServiceResponse>,
) => Promise<ServiceResponse>;

/** A request without deviations. */
export const faithful: Deviation = { reportsInactive: false, ignoresRevocation: false };

/** Writes an error response in the server's own format. */
type WriteFailure = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
) => ServiceResponse;

/** Injects these faults into requests. */
export function createFaults(wanted: readonly Fault[], seed: number, writeFailure: WriteFailure): Disturb {
  if (wanted.length === 0) return (carryOut) => carryOut(faithful);
  let number = 0;
  return async (carryOut) => {
    number += 1;
    const current = number;
    const { status, isDropped, delayMs, ...deviation } = decide(wanted, seed, current);
    const response = status === null ? await carryOut(deviation) : faultResponse(status, writeFailure);
    const delivery: Delivery = { delayMs, cut: isDropped && status === null ? drawCut(seed, current) : null };
    return { ...response, delivery };
  };
}

function decide(wanted: readonly Fault[], seed: number, number: number): Decision {
  const nothing: Decision = { ...faithful, status: null, isDropped: false, delayMs: 0 };
  return wanted
    .filter(({ probability }, index) => draw(seed, number, `fault ${index}`) < probability)
    .reduce((before, fault) => rows[fault.kind].decide(before, fault), nothing);
}

function drawCut(seed: number, number: number): Delivery["cut"] {
  const part = Math.floor(draw(seed, number, "part") * 3);
  const within = (["nothing", "headers", "body"] as const)[part] ?? "body";
  return { within, share: draw(seed, number, "share") };
}

function faultResponse(status: number, writeFailure: WriteFailure): ServiceResponse {
  const message = `${STATUS_CODES[status] ?? `Status ${status}`}: a fault of the sandbox, nothing was done`;
  return writeFailure(status, message, status === 429 || status === 503 ? { "Retry-After": "1" } : {});
}

/** At least 0 and less than 1, evenly spread; the same for the same seed, number and use. */
function draw(seed: number, number: number, use: string): number {
  return createHash("sha256").update(`${seed} ${number} ${use}`).digest().readUInt32BE() / 2 ** 32;
}

function row<Details extends Likely>(one: FaultRow<Details>): FaultRow<Details> {
  return one;
}

/** An amount, NaN for none, and the text behind its colon. */
function splitAmount(text: string): { readonly amount: number; readonly chance: string | undefined } {
  const [, digits, chance] = /^(\d{1,9})(?::(.*))?$/.exec(text) ?? [];
  return { amount: Number(digits), chance };
}

function readProbability(text: string): Likely | null {
  const probability = /^[\d.]+(?:e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return probability >= 0 && probability <= 1 ? { probability } : null;
}
