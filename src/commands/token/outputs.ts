// What the token commands print as JSON.
import { either, list, object, orNull, text, word, type Schema } from "../../output/json-schema.ts";
import { placed, type Placed } from "../../reports/sources-schema.ts";
import { printsOneOrMany, type DescribedOutput, type Outputs } from "../../shapes/command-output.ts";
import { inspectedTokenSchema } from "../../shapes/inspected-token.ts";
import { statusSchema } from "../../shapes/outcome-schemas.ts";
import { checkedProperties, checkedTokenSchema, type CheckedToken } from "../../shapes/resource-schemas.ts";
import { resetSchema, type ItemRow } from "../../shapes/token-fields.ts";

const lastEight = orNull(text("the last eight characters of the token"));

/** The schema of a row with only a token's outcome; `done` are the statuses of success. */
function outcome(...done: readonly string[]): Schema<Placed<ItemRow>> {
  return placed(
    object<ItemRow>("Outcome", "What became of one token.", {
      status: statusSchema(...done),
      token_last_eight: lastEight,
    }),
  );
}

const checkedToken = placed(checkedTokenSchema);

const checkOutcome = either(
  placed(
    object<CheckedToken & { readonly status: string }>(
      "LiveToken",
      "One of several tokens, with the authorization and the user behind it.",
      { status: word<string>("a live token", "live"), ...checkedProperties },
    ),
  ),
  placed(
    object<ItemRow>(
      "UncheckedToken",
      "One of several tokens: one that is not live, or that was not checked.",
      { status: statusSchema(), token_last_eight: lastEight },
    ),
  ),
);

const reset = placed(resetSchema);
const resetOutcome = outcome("would-reset", "reset");

const check: DescribedOutput = {
  means: "the authorization behind a token; for several an array of what became of each",
  document: either(checkedToken, list(checkOutcome)),
  line: checkOutcome,
};

const resetOutput: DescribedOutput = {
  means:
    "the new value: an object, or an array for several; with --dry-run or --output-file only what became of each",
  document: either(either(reset, list(reset)), either(resetOutcome, list(resetOutcome))),
  line: either(reset, resetOutcome),
};

const revocation = printsOneOrMany(
  "what became of each token: an object, or an array for several",
  outcome("revoked", "already-gone", "would-revoke"),
);

const report = printsOneOrMany(
  "what became of each token: an object, or an array for several",
  outcome("accepted", "would-report"),
);

const inspection = printsOneOrMany(
  "what the token says of itself: an object, or an array for several",
  placed(inspectedTokenSchema),
);

export const tokenOutputs: Outputs = {
  "token check": check,
  "token inspect": inspection,
  "token reset": resetOutput,
  "token revoke": revocation,
  "token revoke-grant": revocation,
  "token report": report,
};
