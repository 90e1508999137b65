// How what became of the tokens of an interrupted job is shown. In JSON an item has the fields of a kept value, so that
// a script reads one shape from `recover show`.
import { textOf, type Presentation } from "../../output/presentation.ts";

/**
 * live: nothing happened to it. gone: revoked. lost: reset, and its new value is nowhere. dead: that, or it was dead
 * before; only a power cut leaves it open. unproven: not found, but nothing shows that the credentials are right.
 * unknown: it was not looked at.
 */
export const tokenStates = ["live", "gone", "lost", "dead", "unproven", "unknown"] as const;
export type TokenState = (typeof tokenStates)[number];

/** What became of one token of a job. */
export interface OutcomeRow {
  readonly token_last_eight_before: string | null;
  /** There is none to show. */
  readonly token: "";
  readonly state: TokenState;
}

export const outcomePresentation: Presentation<OutcomeRow> = {
  fields: ["token_last_eight_before", "token", "state"],
  columns: [
    {
      title: "LAST EIGHT",
      field: "token_last_eight_before",
      text: (row) => textOf(row.token_last_eight_before),
      isWhole: true,
    },
    { title: "STATE", text: (row) => row.state, isWhole: true },
  ],
};
