// The kinds of failure a run can end with, each with its exit code, in one table. Imports no other room, so that every
// layer may throw these. A failure is told apart by its kind, never by its message.
import { withoutMarks } from "./foreign.ts";

/**
 * Every failure class with its exit code, the riskiest first: when several happen in one run, the first in this
 * order decides the code.
 */
const exitCodeByKind = {
  /** Sent, and no trustworthy answer came: whether anything changed is not known. */
  unknown: 13,
  /** Done at the service, but the value did not reach the output. */
  undelivered: 12,
  /** Some items of a job failed or were not tried. */
  incomplete: 9,
  /** A bug in grantctl. */
  internal: 70,
  /** The answer is not what the service promises. */
  protocol: 11,
  /** No connection, a TLS failure, or a read that timed out. */
  network: 8,
  "rate-limited": 7,
  /** An organization wants the token approved first. */
  sso: 6,
  /** A one-time password is needed and there is none that the service takes. */
  otp: 5,
  authentication: 4,
  /** No such thing, or wrong credentials: the service answers both alike. */
  "not-found": 3,
  /** A bad flag, argument, input line or configuration: nothing was sent. */
  usage: 2,
  /** Get-or-create found an authorization whose value cannot be shown. */
  exists: 10,
  /** An audit did its work and found what it was to fail on. */
  findings: 14,
  refused: 1,
} as const;

export type FailureKind = keyof typeof exitCodeByKind;

/** An answer, or what had arrived of it. */
export interface Received {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** How the body is packed, where it is. */
  readonly codings?: string;
}

export interface FailureDetails {
  /** What to do about it; a command to paste where there is one. */
  readonly hint?: string;
  /** The HTTP status of the answer behind it. */
  readonly status?: number;
  /** The address where an organization approves the token. Only for `sso`, and only one that may be shown. */
  readonly url?: string;
  /** The service's own identifier of the request, for its operators. */
  readonly requestId?: string;
  /** How long the service asks to wait. */
  readonly retryAfterMs?: number;
  /** Why no answer came, in a few words that hold nothing of the request: for --debug. */
  readonly noAnswer?: string;
  /** The request had left, so that there is a server, whatever became of its answer. */
  readonly hasLeft?: true;
  /** Whether the same read may succeed when it is sent again at once. */
  readonly transient?: boolean;
  /** The answer behind it, or what had arrived of one that was cut off. Never part of a message. */
  readonly received?: Received;
  /** Whether it is about one item alone: other items of the job may still succeed. */
  readonly isAboutItem?: boolean;
  /** Whether one value was not delivered although the next one may be: a command runs once for each. */
  readonly isOneDelivery?: boolean;
  /** Whether it is about a request of an earlier run: it says nothing about the service now. */
  readonly isOld?: boolean;
  readonly cause?: unknown;
}

/**
 * A failure that a user can read: one lower-case line without a full stop, and details. What others wrote of message and
 * hint is marked (foreign.ts); `marked` keeps the message so, to be put into another one.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  readonly details: FailureDetails;
  readonly marked: string;

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(withoutMarks(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.details = details;
    this.marked = message;
  }

  get exitCode(): number {
    return exitCodeOf(this.kind);
  }
}

export function exitCodeOf(kind: FailureKind): number {
  return exitCodeByKind[kind];
}

/** Ends the run with an exit code and without a message, where everything was said already or there is nothing to say. */
export class QuietExit extends Error {
  override readonly name = "QuietExit";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The exit code of a run that a signal stopped, Ctrl-C at a prompt included. */
export function exitCodeOfSignal(signalNumber: number): number {
  return 128 + signalNumber;
}

/** Every kind of failure, the riskiest first. */
export const failureKinds: readonly FailureKind[] = Object.keys(exitCodeByKind) as FailureKind[];

/** The riskier of two kinds; a run that meets both ends with it. */
export function riskierKind(first: FailureKind, second: FailureKind): FailureKind {
  return failureKinds.find((kind) => kind === first || kind === second) ?? first;
}

/** Whether a failure is of one of the given kinds. */
export function isFailure(error: unknown, ...kinds: FailureKind[]): error is Failure {
  return error instanceof Failure && (kinds.length === 0 || kinds.includes(error.kind));
}

/** A usage failure: nothing was sent, exit code 2. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure("usage", message, hint === undefined ? {} : { hint });
}
