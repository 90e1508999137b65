// The meaning of each exit code in words, for help and reference pages; the numbers are those of errors.ts.
import { exitCodeOf, type FailureKind } from "./errors.ts";

export interface ExitCodeMeaning {
  /** A number, or `128+n`. */
  readonly code: string;
  /** The kind of failure, as errors in JSON name it; empty where the code has none. */
  readonly kind: FailureKind | "";
  readonly meaning: string;
  /** Whether anything changed at the service. */
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
