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
  refused: ["the service refused it: a rule of its own, a note already used, a 403", "no"],
  usage: [
    "a bad flag, argument, input line or configuration, an output that cannot be written, or --yes is missing; nothing was sent",
    "no",
  ],
  "not-found": ["no such thing, or wrong credentials: the service answers both alike", "no"],
  authentication: ["no credentials, or the service refused them with 401", "no"],
  otp: ["a one-time password is needed, and there is none that the service takes", "no"],
  sso: [
    "an organization wants the token approved; the address of its page is on standard error (under --fail-on-partial: it left something out)",
    "no",
  ],
  "rate-limited": ["the service asks to slow down for longer than may be waited, or is not available", "no"],
  network: ["no connection, a TLS failure, or a read that timed out", "no"],
  incomplete: ["a job of many has items that failed or were not tried; --resume does the rest", "partly"],
  exists: [
    "get-or-create found an existing token, whose value cannot be shown; --allow-existing makes this 0",
    "no",
  ],
  findings: ["audit did its work, and found what it was asked to fail on", "no"],
  protocol: ["the answer is not what the service promises, and is not trusted", "the message says"],
  undelivered: [
    "done at the service, but the value did not reach the output: grantctl recover has it",
    "yes",
  ],
  unknown: [
    "sent, and no trustworthy answer came; it is never sent again by itself, and grantctl recover says what is known",
    "perhaps",
  ],
  internal: ["a bug in grantctl", "the message says"],
} as const satisfies Record<FailureKind, readonly [meaning: string, changed: string]>;

/** Every exit code, the lowest first. */
export function exitCodeMeanings(): readonly ExitCodeMeaning[] {
  const kinds = Object.keys(meanings) as FailureKind[];
  return [
    { code: "0", kind: "", meaning: "done; an empty list, too", changed: "as asked" },
    ...kinds
      .toSorted((first, second) => exitCodeOf(first) - exitCodeOf(second))
      .map((kind) => {
        const [meaning, changed] = meanings[kind];
        return { code: String(exitCodeOf(kind)), kind, meaning, changed };
      }),
    { code: "128+n", kind: "", meaning: "stopped by signal n", changed: "the message says" },
  ];
}
