// How tokens are shown: as their authorization, and never with a token but the new one of a reset.
import type { Authorization, Id } from "../api/resources.ts";
import { allOptional, fieldsOf, object, orNull, text } from "../output/json-schema.ts";
import { column, present, type Presentation } from "../output/presentation.ts";
import { authorizationPresentation } from "./authorization-fields.ts";
import { checkedTokenSchema, id, resetProperties, type CheckedToken } from "./resource-schemas.ts";
import { statusSchema } from "./outcome-schemas.ts";

/** An authorization as check shows it, with its user. */
export const checkedTokenPresentation: Presentation<Authorization> = {
  fields: fieldsOf(checkedTokenSchema),
  columns: [...authorizationPresentation.columns, column("USER", "user.login", { priority: 3 })],
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
      column("STATUS", "status", { minimum: 12 }),
      column("LAST EIGHT", "token_last_eight", { isWhole: true }),
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

export const resetPresentation: Presentation<ResetRow> = present(resetSchema, [
  column("BEFORE", "token_last_eight_before", { minimum: 8, isWhole: true, priority: 2 }),
  column("ID", "id", { minimum: 8, isWhole: true, priority: 4 }),
  column("TOKEN", "token", { minimum: 40, isWhole: true }),
  column("STATUS", "status", { minimum: 12, priority: 3 }),
]);
