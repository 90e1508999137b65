// What became of tokens, as JSON.
import type { IntrospectedToken } from "../../api/standard-tokens.ts";
import { introspectedProperties, introspectedSchema } from "../../printing/introspected.ts";
import { either, object, orNull, text, word, type Schema } from "../../schema/json-schema.ts";
import { placed, type Placed } from "../../reports/sources.ts";
import {
  statusSchema,
  checkedProperties,
  checkedTokenSchema,
  type CheckedToken,
} from "../../schema/resources.ts";
import { resetSchema, type ItemRow } from "../../printing/tokens.ts";

const lastEight = orNull(text("the last eight characters of the token"));

/** The schema of a row with only a token's outcome; `done` are the statuses of success. */
export function outcome(...done: readonly string[]): Schema<Placed<ItemRow>> {
  return placed(
    object<ItemRow>("Outcome", "What became of one token.", {
      status: statusSchema(...done),
      token_last_eight: lastEight,
    }),
  );
}

export const checkedToken = either(placed(checkedTokenSchema), placed(introspectedSchema));

const activeToken = placed(
  object<IntrospectedToken & { readonly status: string }>(
    "ActiveToken",
    "One of several tokens, as an OAuth 2.0 server describes it.",
    { status: word<string>("an active token", "live"), ...introspectedProperties },
  ),
);

export const checkOutcome = either(
  either(
    placed(
      object<CheckedToken & { readonly status: string }>(
        "LiveToken",
        "One of several tokens, with the authorization and the user behind it.",
        { status: word<string>("a live token", "live"), ...checkedProperties },
      ),
    ),
    activeToken,
  ),
  placed(
    object<ItemRow>(
      "UncheckedToken",
      "One of several tokens: one that is not live, or that was not checked.",
      { status: statusSchema(), token_last_eight: lastEight },
    ),
  ),
);

export const reset = placed(resetSchema);
export const resetOutcome = outcome("would-reset", "reset");
