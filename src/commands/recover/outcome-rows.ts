// How the outcomes of an interrupted job of tokens are shown. In JSON an item has the fields of a kept token, so that a
// script reads one shape from `recover show`.
import { fieldsOf, objectWith, optional, orNull, text, word, type TypeOf } from "../../schema/json-schema.ts";
import { column, type Presentation } from "../../printing/presentation.ts";

/**
 * live: the request had no effect. gone: the token is revoked. lost: it was reset, and the new token is lost. dead:
 * lost, or dead before the job; only after a power cut. unproven: not found, but the credentials may be wrong. unknown:
 * it was not checked.
 */
const tokenStates = ["live", "gone", "lost", "dead", "unproven", "unknown"] as const;
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

/** A new token that an earlier run kept and did not deliver; or a token of a job, with its outcome. */
export type KeptValue = TypeOf<typeof keptValueSchema>;

export interface OutcomeRow {
  readonly token_last_eight_before: string | null;
  /** Empty, because there is no new token to show. */
  readonly token: "";
  readonly state: TokenState;
}

export const outcomePresentation: Presentation<OutcomeRow> = {
  fields: fieldsOf(keptValueSchema),
  columns: [
    column("LAST EIGHT", "token_last_eight_before", { isWhole: true }),
    column("STATE", "state", { isWhole: true }),
  ],
};
