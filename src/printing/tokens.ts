// The presentations of checked, reset and inspected tokens. Only a reset prints a token value: the new one.
import type { Inspection } from "../api/inspection.ts";
import type { Authorization, Id } from "../api/resources.ts";
import { column, present, type Presentation } from "./presentation.ts";
import {
  allOptional,
  fieldsOf,
  object,
  orNull,
  text,
  list,
  objectWith,
  word,
  type TypeOf,
} from "../schema/json-schema.ts";
import {
  checkedTokenSchema,
  id,
  resetProperties,
  type CheckedToken,
  statusSchema,
} from "../schema/resources.ts";
import { authorizationPresentation } from "./resources.ts";
import { lastEight } from "../token-value.ts";

/** The output of `token check`: an authorization with its user. */
export const checkedTokenPresentation: Presentation<Authorization> = {
  fields: fieldsOf(checkedTokenSchema),
  columns: [...authorizationPresentation.columns, column("USER", "user.login", { priority: 3 })],
  moments: authorizationPresentation.moments ?? [],
  shownOnRequest: fieldsOf(checkedTokenSchema).filter((field) => /^user\..*url$/.test(field)),
};

export interface ItemRow {
  readonly status: string;
  readonly token_last_eight: string | null;
}

/** The presentation of a token's result in a job: status, last eight characters, and in JSON the additional fields. */
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
  "A token and its new value; null fields if it was not reset.",
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

/** Types of GitHub tokens, by prefix. */
const kinds: readonly (readonly [prefix: string, kind: string])[] = [
  ["gho_", "application"],
  ["ghu_", "app-user"],
  ["ghs_", "app-installation"],
  ["ghr_", "app-refresh"],
  ["ghp_", "personal"],
  ["github_pat_", "personal-fine-grained"],
];

export const inspectedTokenSchema = objectWith(
  "InspectedToken",
  "The status, owner, scopes and expiration of a token; null for fields that the server does not report.",
  {
    token_last_eight: text("the last eight characters of the token"),
    state: word("active, revoked or expired, or in need of approval", "alive", "dead", "approval-needed"),
    login: orNull(text("the user name of the account that it belongs to")),
    scopes: orNull(
      list(text("one scope"), "its scopes; null if the server does not report them (unknown, not none)"),
    ),
    client_id: orNull(text("the client ID of its application")),
    expires_at: orNull(text("when it expires, ISO 8601")),
    kind: orNull(word<string>("the type of token, from its prefix", ...kinds.map(([, kind]) => kind))),
  },
);

export type InspectedToken = TypeOf<typeof inspectedTokenSchema>;

/** The row of a token; `said` is null if the server reported nothing about it. */
export function inspectedToken(
  token: string,
  state: InspectedToken["state"],
  said: Inspection | null,
): InspectedToken {
  return {
    token_last_eight: lastEight(token),
    state,
    login: said?.login ?? null,
    scopes: said?.scopes ?? null,
    client_id: said?.clientId ?? null,
    expires_at: normalizeTimestamp(said?.expiresAt ?? null),
    kind: kinds.find(([prefix]) => token.startsWith(prefix))?.[1] ?? null,
  };
}

/**
 * Converts GitHub's `2026-12-31 23:59:59 UTC`, or `2026-12-31 23:59:59 +0200` with an offset, to ISO 8601. Returns any
 * other text unchanged.
 */
function normalizeTimestamp(moment: string | null): string | null {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (UTC|[+-]\d\d:?\d\d)$/.exec(moment ?? "") ?? [];
  if (day === undefined || time === undefined || zone === undefined) return moment;
  const instant = Date.parse(`${day}T${time}${zone === "UTC" ? "Z" : zone.replace(/^(...):?/, "$1:")}`);
  return Number.isNaN(instant) ? moment : new Date(instant).toISOString().replace(".000Z", "Z");
}

export const inspectedTokenPresentation = present(
  inspectedTokenSchema,
  [
    column("STATE", "state", { minimum: 15 }),
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 4 }),
    column("EXPIRES", "expires_at", { priority: 3 }),
    column("CLIENT ID", "client_id", { priority: 6 }),
    column("KIND", "kind", { priority: 5 }),
  ],
  { moments: ["expires_at"] },
);
