// Failures: every kind, its exit code and its meaning, in one table.
//
//   Failure     a message for the user, in one line, with a kind and details; thrown by every layer
//   QuietExit   ends the run with an exit code after everything was printed
//   others      bugs; reported as `internal`
//
// The kinds are ordered by risk: of several failures in one run, the riskiest decides the exit code. Code matches
// a failure by its kind and details, never by its message. This module imports nothing of ours, so that every layer can use it.
import { constants } from "node:os";

/** The riskiest first: the exit code, the meaning, and whether the server has changed (`no`, `yes`, `possibly` …). */
const kindTable = {
  unknown: [
    13,
    "The request was sent, but no complete response arrived, or the server failed (5xx); the request was not retried; run `grantctl recover list`",
    "possibly",
  ],
  undelivered: [
    12,
    "The change was made, but the token value or the report could not be delivered, or `authorization run` could not delete its token; run `grantctl recover list`",
    "yes",
  ],
  incomplete: [
    9,
    "Some items failed, are unproven or not tried, only some are active, or a token of a report is active elsewhere",
    "for some items",
  ],
  internal: [1, "A bug in grantctl", "see the message"],
  protocol: [1, "A response that cannot be trusted, such as status 500 for a read", "see the message"],
  network: [8, "No connection, a TLS failure, or a read request that timed out", "no"],
  "rate-limited": [
    8,
    "Rate limited for longer than grantctl waits (at most 60 seconds for a single request), or the server is unavailable",
    "no",
  ],
  sso: [
    6,
    "An organization requires approval of the token; the approval URL is on standard error. With `audit --fail-on`: the audit is incomplete",
    "no",
  ],
  otp: [4, "A one-time password is required, and none was accepted", "no"],
  authentication: [4, "No credentials, or the server rejected them (401)", "no"],
  "not-found": [
    3,
    "Not found. If the credentials are not verified, they may be wrong: the server returns the same response for a missing item and for wrong credentials",
    "no",
  ],
  usage: [2, "Invalid flag, argument, input, output or configuration; a missing --yes", "no"],
  exists: [10, "`get-or-create` found an authorization, whose token cannot be shown", "no"],
  findings: [14, "`audit` has findings for a --fail-on rule", "no"],
  refused: [
    1,
    "The server rejected the request, for example because a value is invalid, a note is already in use, or access is forbidden (403)",
    "no",
  ],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string, changed: string]>>;

export type FailureKind = keyof typeof kindTable;

/** A response, or the part of it that arrived. */
export interface Received {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface FailureDetails {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  /** The URL to approve the token for an organization. Only for `sso`, and only if it is safe to show. */
  readonly url?: string;
  readonly retryAfterMs?: number | undefined;
  /** True if an immediate retry of the same read may succeed. */
  readonly isTransient?: boolean;
  /** The response that caused it, or as much of it as arrived. Never part of a message. */
  readonly received?: Received;
  /** True if the message is what was asked for, such as a proof of absence: only the exit code tells of a failure. */
  readonly isResult?: boolean;
  /** True if the server showed an active token after it accepted the revocation. */
  readonly isStillActive?: true;
  /** True if it affects only one item, so that other items of the job may still succeed. */
  readonly isAboutItem?: boolean;
  /** The exit code of the signal that stopped a job; replaces that of the kind. */
  readonly signalCode?: number;
  readonly cause?: unknown;
}

/** A failure for the user: one lower-case line without a full stop, and details. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }

  /** A copy with these details added or replaced, and optionally another message. */
  with(details: FailureDetails, message = this.message): Failure {
    return new Failure(this.kind, message, { ...this.details, ...details });
  }

  get exitCode(): number {
    return this.details.signalCode ?? exitCodeOf(this.kind);
  }
}

export function exitCodeOf(kind: FailureKind): number {
  return kindTable[kind][0];
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
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

const failureKinds: readonly FailureKind[] = Object.keys(kindTable) as FailureKind[];

/** The riskier of two kinds, which decides the exit code. */
export function riskierKind(first: FailureKind, second: FailureKind): FailureKind {
  return failureKinds.find((kind) => kind === first || kind === second) ?? first;
}

/** True for a Failure of one of these kinds, or of any kind if none is given. */
export function isFailure(error: unknown, ...kinds: FailureKind[]): error is Failure {
  return error instanceof Failure && (kinds.length === 0 || kinds.includes(error.kind));
}

/** The Failure that work ends with, or null; rejects with any other error. */
export async function failureOf(work: Promise<unknown>): Promise<Failure | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return error;
  }
}

/** A mistake of the user or of the machine, as a rule found before anything is sent: exit code 2. */
export function usageFailure(message: string, hint?: string): Failure {
  return new Failure("usage", message, { hint });
}

/** Every exit code with its kind, if it has one, and its meaning; the lowest first. */
export function exitCodeMeanings(): Readonly<Record<string, string>> {
  const meanings = failureKinds
    .toSorted((first, second) => exitCodeOf(first) - exitCodeOf(second))
    .map((kind) => {
      const [code, meaning, changed] = kindTable[kind];
      return [`${code} ${kind}`, changed === "no" ? meaning : `${meaning} (changed: ${changed})`] as const;
    });
  return {
    "0": "Success, including an empty list (changed: as requested)",
    ...Object.fromEntries(meanings),
    "128+n":
      "Stopped by signal n; 130 after a declined confirmation, which changes nothing (changed: see the message)",
  };
}
