// What the token commands print as JSON.
import {
  allOptional,
  either,
  list,
  object,
  optional,
  orNull,
  text,
  word,
  type Schema,
} from "../../output/json-schema.ts";
import { printsOneOrMany, type DescribedOutput, type Outputs } from "../../shapes/command-output.ts";
import { statusSchema } from "../../shapes/outcome-schemas.ts";
import { checkedProperties, id, resetProperties, type CheckedToken } from "../../shapes/resource-schemas.ts";
import { sourcesSchema, type Placed } from "../../reports/sources-schema.ts";
import {
  tokenKinds,
  tokenStates,
  type InspectedToken,
  type TokenState,
} from "../../shapes/inspected-token.ts";
import type { ItemRow, ResetRow } from "../../shapes/token-fields.ts";

const places = { sources: optional(sourcesSchema) };

const lastEight = orNull(text("the last eight characters of the token"));

/** What became of one token, where that is all there is to say. */
function outcome(...done: readonly string[]): Schema<Placed<ItemRow>> {
  return object<Placed<ItemRow>>("Outcome", "What became of one token.", {
    status: statusSchema(...done),
    token_last_eight: lastEight,
    ...places,
  });
}

const checkedToken = object<Placed<CheckedToken>>(
  "CheckedToken",
  "The authorization and the user behind a live token.",
  { ...checkedProperties, ...places },
);

const checkOutcome = either(
  object<Placed<CheckedToken & { readonly status: string }>>(
    "LiveToken",
    "One of several tokens, with the authorization and the user behind it.",
    { status: word<string>("a live token", "live"), ...checkedProperties, ...places },
  ),
  object<Placed<ItemRow>>(
    "UncheckedToken",
    "One of several tokens: one that is not live, or that was not checked.",
    {
      status: statusSchema(),
      token_last_eight: lastEight,
      ...places,
    },
  ),
);

const reset = object<Placed<ResetRow & Partial<Omit<CheckedToken, keyof ResetRow>>>>(
  "Reset",
  "One token and its new value; nulls for one that was not reset.",
  {
    ...allOptional(resetProperties),
    ...places,
    token_last_eight_before: text("the last eight characters of the old value"),
    id: orNull(id("the authorization's identifier")),
    token: orNull(text("the new value, which is shown this once")),
    status: statusSchema("reset"),
  },
);
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

const inspection = printsOneOrMany(
  "what the token says of itself: an object, or an array for several",
  object<Placed<InspectedToken>>(
    "InspectedToken",
    "What a token says of itself; null for what is not said.",
    {
      token_last_eight: text("the last eight characters of the token"),
      state: word<TokenState>("whether it works", ...tokenStates),
      login: orNull(text("the user name of the account that it belongs to")),
      scopes: orNull(
        list(text("one scope"), "its scopes; null where the service does not say, which is not none"),
      ),
      client_id: orNull(text("the client ID of its application")),
      expires_at: orNull(text("when it expires, ISO 8601")),
      kind: orNull(word<string>("the kind that its first letters say", ...tokenKinds)),
      ...places,
    },
  ),
);

export const tokenOutputs: Outputs = {
  "token check": check,
  "token inspect": inspection,
  "token reset": resetOutput,
  "token revoke": revocation,
  "token revoke-grant": revocation,
};
