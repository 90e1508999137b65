// The presentations of checked, reset and inspected tokens. Only a reset prints a token value: the new one.
import type { Inspection } from "../api/inspection.ts";
import type { Authorization, Id } from "../api/resources.ts";
import { column, type FieldOf, type Presentation } from "./presentation.ts";
import { authorizationPresentation, userFields } from "./resources.ts";
import { lastEight } from "../token-value.ts";

/** The output of `token check`: an authorization with its user. */
export const checkedTokenPresentation: Presentation<Authorization> = {
  fields: [...authorizationPresentation.fields, ...userFields],
  columns: [...authorizationPresentation.columns, column("USER", "user.login", { priority: 3 })],
  moments: authorizationPresentation.moments ?? [],
  shownOnRequest: userFields.filter((field) => /^user\..*url$/.test(field)),
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

export const resetPresentation: Presentation<ResetRow> = {
  fields: ["token_last_eight_before", "status", ...checkedTokenPresentation.fields],
  columns: [
    column("BEFORE", "token_last_eight_before", { minimum: 8, isWhole: true, priority: 2 }),
    column("ID", "id", { minimum: 8, isWhole: true, priority: 4 }),
    column("TOKEN", "token", { minimum: 40, isWhole: true }),
    column("STATUS", "status", { minimum: 12, priority: 3 }),
  ],
};

/** Types of GitHub tokens, by prefix. */
const kinds: readonly (readonly [prefix: string, kind: string])[] = [
  ["gho_", "application"],
  ["ghu_", "app-user"],
  ["ghs_", "app-installation"],
  ["ghr_", "app-refresh"],
  ["ghp_", "personal"],
  ["github_pat_", "personal-fine-grained"],
];

/** The state and owner of a token. Fields that the server does not report are null: unknown, not none. */
export interface InspectedToken {
  readonly token_last_eight: string;
  readonly state: "alive" | "dead" | "approval-needed";
  readonly login: string | null;
  readonly scopes: readonly string[] | null;
  readonly client_id: string | null;
  readonly expires_at: string | null;
  /** The type of token, from its prefix. */
  readonly kind: string | null;
}

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

const inspectedFields = [
  "token_last_eight",
  "state",
  "login",
  "scopes",
  "client_id",
  "expires_at",
  "kind",
] as const satisfies readonly FieldOf<InspectedToken>[];

export const inspectedTokenPresentation: Presentation<InspectedToken> = {
  fields: inspectedFields,
  columns: [
    column("STATE", "state", { minimum: 15 }),
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 4 }),
    column("EXPIRES", "expires_at", { priority: 3 }),
    column("CLIENT ID", "client_id", { priority: 6 }),
    column("KIND", "kind", { priority: 5 }),
  ],
  moments: ["expires_at"],
};
