// The kinds of failure a run can end with, each with its exit code and its meaning, in one table. Imports no other module,
// so that every layer may throw these. A failure is recognised by its kind, never by its message.
import { withoutMarks } from "./foreign.ts";

/**
 * Every failure class with its exit code, the riskiest first: when several happen in one run, the first in this
 * order decides the code.
 */
const exitCodeByKind = {
  /** Sent, but without a trustworthy answer: whether anything changed is not known. */
  unknown: 13,
  /** Done at the service, but the new token did not reach its receiver. */
  undelivered: 12,
  /** Some items of a job failed or were not tried. */
  incomplete: 9,
  /** A bug in grantctl. */
  internal: 70,
  /** A response that breaks the specification. */
  protocol: 11,
  /** No connection, a TLS failure, or a read that timed out. */
  network: 8,
  "rate-limited": 7,
  /** An organization requires the token to be approved first. */
  sso: 6,
  /** A one-time password is required, and there is none that the server accepts. */
  otp: 5,
  authentication: 4,
  /** No such item, or wrong credentials: the server returns the same response for both. */
  "not-found": 3,
  /** A bad flag, argument, input line or configuration: nothing was sent. */
  usage: 2,
  /** Get-or-create found an authorization, whose token cannot be shown. */
  exists: 10,
  /** An audit with a finding on which --fail-on lets it fail. */
  findings: 14,
  refused: 1,
} as const;

export type FailureKind = keyof typeof exitCodeByKind;

/** A response, or what had arrived of it. */
export interface Received {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The content codings of the body; absent if it has none. */
  readonly codings?: string;
}

export interface FailureDetails {
  /** A hint, with a command to paste if there is one. */
  readonly hint?: string | undefined;
  /** The possible values instead of the wrong one: follow the hint, one per line on a terminal. */
  readonly choices?: readonly string[];
  /** The HTTP status of the response that caused it. */
  readonly status?: number | undefined;
  /** The address where an organization approves the token. Only for `sso`, and only one that may be shown. */
  readonly url?: string;
  /** The service's own identifier of the request, for its operators. */
  readonly requestId?: string | undefined;
  /** The wait that the server requests. */
  readonly retryAfterMs?: number | undefined;
  /** How long grantctl waited in all before it sent the request for the last time. */
  readonly waitedMs?: number;
  /** Why no response came, in a few words that hold nothing of the request: for --debug. */
  readonly noAnswer?: string;
  /** True if no response came within the time limit. */
  readonly isTimedOut?: true;
  /** The request was sent, so there is a server, even if no response came. */
  readonly hasLeft?: true;
  /** True if the same read may succeed when it is sent again at once. */
  readonly transient?: boolean;
  /** The message for "not found" in a job in which others were found with the same credentials. */
  readonly ifProven?: { readonly marked: string; readonly hint?: string } | undefined;
  /** The hint where the token that was not found is the proof token. */
  readonly proofHint?: string | undefined;
  /** The response that caused it, or as much of it as arrived. Never part of a message. */
  readonly received?: Received;
  /** True if the service accepted a change before, of which nothing shows whether it had an effect. */
  readonly wasAccepted?: true;
  /** True if it concerns one item alone, so that other items of the job may still succeed. */
  readonly isAboutItem?: boolean;
  /** True if it concerns the delivery of one token alone: a command runs once for each, so the next may succeed. */
  readonly isOneDelivery?: boolean;
  /** True if it concerns a request of an earlier run, and so says nothing about the service now. */
  readonly isOld?: boolean;
  readonly cause?: unknown;
}

/**
 * A failure that a user can read: one lower-case line without a full stop, and details. Text of others in message and
 * hint is marked (foreign.ts); `marked` is the message with these marks, to be put into another message.
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

  /** The same failure with these details instead of its own, and possibly another message. */
  with(details: FailureDetails, message = this.marked): Failure {
    return new Failure(this.kind, message, { ...this.details, ...details });
  }

  get exitCode(): number {
    return exitCodeOf(this.kind);
  }
}

/** The exit code of a run that ends with a failure of this kind. */
export function exitCodeOf(kind: FailureKind): number {
  return exitCodeByKind[kind];
}

/** Ends the run with an exit code and no message, because everything was printed already. */
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

/** Every failure kind, the riskiest first. */
export const failureKinds: readonly FailureKind[] = Object.keys(exitCodeByKind) as FailureKind[];

/** The riskier of two kinds; a run that meets both ends with it. */
export function riskierKind(first: FailureKind, second: FailureKind): FailureKind {
  return failureKinds.find((kind) => kind === first || kind === second) ?? first;
}

/** True if a failure is of one of the given kinds. */
export function isFailure(error: unknown, ...kinds: FailureKind[]): error is Failure {
  return error instanceof Failure && (kinds.length === 0 || kinds.includes(error.kind));
}

/** A usage failure: nothing was sent, exit code 2. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure("usage", message, { hint });
}

interface ExitCodeMeaning {
  /** A number, or `128+n`. */
  readonly code: string;
  /** The failure kind, as errors in JSON name it; empty if the code has none. */
  readonly kind: FailureKind | "";
  readonly meaning: string;
  /** True if anything changed at the service. */
  readonly changed: string;
}

const meanings = {
  refused: ["The service rejected the request: validation, a note already in use, a 403", "no"],
  usage: [
    "Invalid flag, argument, input line or configuration, unusable output, or --yes missing; nothing was sent",
    "no",
  ],
  "not-found": ["Not found, or wrong credentials: the service returns the same response for both", "no"],
  authentication: ["No credentials, or the service rejected them (401)", "no"],
  otp: ["A one-time password is required, and none was accepted", "no"],
  sso: [
    "An organization requires approval of the token; its URL is on standard error. With --fail-on-partial: the result is incomplete",
    "no",
  ],
  "rate-limited": ["Rate limited for longer than grantctl waits, or the service is unavailable", "no"],
  network: ["No connection, a TLS failure, or a read that timed out", "no"],
  incomplete: ["Some items of a job failed or were not tried; --resume continues", "partly"],
  exists: [
    "get-or-create found an existing authorization, whose token cannot be shown; 0 with --allow-existing",
    "no",
  ],
  findings: ["audit has findings for a rule of --fail-on", "no"],
  protocol: ["Unexpected response, which is not trusted", "see the message"],
  undelivered: [
    "The service made the change, but the token value did not reach the output; `grantctl recover` has it",
    "yes",
  ],
  unknown: ["Sent without a reliable response, and not retried; run `grantctl recover list`", "perhaps"],
  internal: ["A bug in grantctl", "see the message"],
} as const satisfies Record<FailureKind, readonly [meaning: string, changed: string]>;

/** Every exit code, the lowest first. */
export function exitCodeMeanings(): readonly ExitCodeMeaning[] {
  const kinds = Object.keys(meanings) as FailureKind[];
  return [
    { code: "0", kind: "", meaning: "Success, including an empty list", changed: "as asked" },
    ...kinds
      .toSorted((first, second) => exitCodeOf(first) - exitCodeOf(second))
      .map((kind) => {
        const [meaning, changed] = meanings[kind];
        return { code: String(exitCodeOf(kind)), kind, meaning, changed };
      }),
    { code: "128+n", kind: "", meaning: "Stopped by signal n", changed: "see the message" },
  ];
}
