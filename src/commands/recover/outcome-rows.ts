// How what became of the tokens of an interrupted job is shown. In JSON an item has the fields of a kept value, so that
// a script reads one shape from `recover show`.
import { fieldsOf, objectWith, optional, orNull, text, word, type TypeOf } from "../../output/json-schema.ts";
import { textOf, type Presentation } from "../../output/presentation.ts";

/**
 * live: nothing happened to it. gone: revoked. lost: reset, and its new value is nowhere. dead: that, or it was dead
 * before; only a power cut leaves it open. unproven: not found, but nothing shows that the credentials are right.
 * unknown: it was not looked at.
 */
export const tokenStates = ["live", "gone", "lost", "dead", "unproven", "unknown"] as const;
export type TokenState = (typeof tokenStates)[number];

export const keptValueSchema = objectWith("KeptValue", "A token's value that was not delivered.", {
  token_last_eight_before: orNull(text("the last eight characters of the value before a reset; else null")),
  token: text("the value; empty for a token of a job that is listed for what became of it"),
  state: optional(
    word<TokenState>(
      "what became of it, where there is no value: live, nothing happened to it; gone, it was revoked; lost, it was reset and its new value is nowhere; dead, that, or it was dead before a power cut; unproven, it is not found but nothing shows that the credentials are right; unknown, it was not looked at",
      ...tokenStates,
    ),
  ),
});

/** A token's value that an earlier run kept and did not deliver; or a token of a job, and what became of it. */
export type KeptValue = TypeOf<typeof keptValueSchema>;

export interface OutcomeRow {
  readonly token_last_eight_before: string | null;
  /** There is none to show. */
  readonly token: "";
  readonly state: TokenState;
}

export const outcomePresentation: Presentation<OutcomeRow> = {
  fields: fieldsOf(keptValueSchema),
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
