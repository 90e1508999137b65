// How tokens are shown: as their authorization, and never with a token but the new one of a reset.
import type { Authorization, Id } from "../api/resources.ts";
import { lastEight } from "../token-value.ts";
import { fieldOf } from "../output/fields.ts";
import { allOptional, fieldsOf, object, orNull, text } from "../output/json-schema.ts";
import { textOf, type Presentation } from "../output/presentation.ts";
import { authorizationPresentation } from "./authorization-fields.ts";
import { checkedTokenSchema, id, resetProperties, type CheckedToken } from "./resource-schemas.ts";
import { statusSchema } from "./outcome-schemas.ts";

/** An authorization as check shows it, with its user. */
export const checkedTokenPresentation: Presentation<Authorization> = {
  fields: fieldsOf(checkedTokenSchema),
  columns: [
    ...authorizationPresentation.columns,
    { title: "USER", text: (item) => textOf(fieldOf(item, "user.login")), priority: 3 },
  ],
  moments: authorizationPresentation.moments ?? [],
  toldWhenAsked: fieldsOf(checkedTokenSchema).filter((field) => /^user\..*url$/.test(field)),
};

export interface ItemRow {
  readonly status: string;
  readonly token_last_eight: string | null;
}

/** How the outcome for one of many tokens is shown: status and last eight characters, and in JSON these fields too. */
export function itemPresentation(moreFields: readonly string[]): Presentation<ItemRow> {
  return {
    fields: [...new Set(["status", "token_last_eight", ...moreFields])],
    columns: [
      { title: "STATUS", text: (row) => row.status, minimum: 12 },
      {
        title: "LAST EIGHT",
        field: "token_last_eight",
        text: (row) => textOf(row.token_last_eight),
        isWhole: true,
      },
    ],
  };
}

/** The row of a reset: the authorization with its new token, or nulls for a reset that failed. */
export interface ResetRow {
  readonly token_last_eight_before: string;
  readonly id: Id | null;
  readonly token: string | null;
  readonly status: string;
}

export const resetSchema = object<ResetRow & Partial<Omit<CheckedToken, keyof ResetRow>>>(
  "Reset",
  "One token and its new value; nulls for one that was not reset.",
  {
    token_last_eight_before: text("the last eight characters of the old value"),
    status: statusSchema("reset"),
    ...allOptional(resetProperties),
    id: orNull(id("the authorization's identifier")),
    token: orNull(text("the new value, which is shown only once")),
  },
);

export const resetPresentation: Presentation<ResetRow> = {
  fields: fieldsOf(resetSchema),
  columns: [
    {
      title: "BEFORE",
      field: "token_last_eight_before",
      text: (row) => row.token_last_eight_before,
      minimum: 8,
      isWhole: true,
      priority: 2,
    },
    { title: "ID", field: "id", text: (row) => textOf(row.id), minimum: 8, isWhole: true, priority: 4 },
    { title: "TOKEN", field: "token", text: (row) => textOf(row.token), minimum: 40, isWhole: true },
    { title: "STATUS", text: (row) => row.status, minimum: 12, priority: 3 },
  ],
};

/** Tokens in a question: one by its last eight characters, many by their number. */
export function tokensInWords(tokens: readonly string[]): string {
  const [only] = tokens;
  return tokens.length === 1 && only !== undefined
    ? `the token ending in ${lastEight(only)}`
    : `${tokens.length} tokens`;
}
