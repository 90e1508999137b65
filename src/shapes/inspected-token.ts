// What is said of a token that was inspected, and how it is shown.
import type { Inspection } from "../api/inspection.ts";
import { lastEight } from "../api/last-eight.ts";
import { textOf, type Presentation } from "../output/presentation.ts";

export const tokenStates = ["alive", "dead", "approval-needed"] as const;
export type TokenState = (typeof tokenStates)[number];

export interface InspectedToken {
  readonly token_last_eight: string;
  readonly state: TokenState;
  readonly login: string | null;
  readonly scopes: readonly string[] | null;
  readonly client_id: string | null;
  readonly expires_at: string | null;
  readonly kind: string | null;
}

/** What GitHub says with the beginning of a token. */
const kinds: readonly (readonly [prefix: string, kind: string])[] = [
  ["gho_", "application"],
  ["ghu_", "app-user"],
  ["ghs_", "app-installation"],
  ["ghr_", "app-refresh"],
  ["ghp_", "personal"],
  ["github_pat_", "personal-fine-grained"],
];

export const tokenKinds: readonly string[] = kinds.map(([, kind]) => kind);

/** The row of a token; `said` is null where the service said nothing of it. */
export function inspectedToken(token: string, state: TokenState, said: Inspection | null): InspectedToken {
  return {
    token_last_eight: lastEight(token),
    state,
    login: said?.login ?? null,
    scopes: said?.scopes ?? null,
    client_id: said?.clientId ?? null,
    expires_at: momentOf(said?.expiresAt ?? null),
    kind: kinds.find(([prefix]) => token.startsWith(prefix))?.[1] ?? null,
  };
}

/** ISO 8601 for `2026-12-31 23:59:59 UTC`, and as it came where it is anything else. */
function momentOf(text: string | null): string | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/.exec(text ?? "") ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}

export const inspectedTokenPresentation: Presentation<InspectedToken> = {
  fields: ["token_last_eight", "state", "login", "scopes", "client_id", "expires_at", "kind"],
  moments: ["expires_at"],
  columns: [
    { title: "STATE", text: (row) => row.state, minimum: 15 },
    { title: "LAST EIGHT", field: "token_last_eight", text: (row) => row.token_last_eight, isWhole: true },
    { title: "LOGIN", text: (row) => textOf(row.login), priority: 2 },
    { title: "SCOPES", text: (row) => textOf(row.scopes), priority: 4 },
    { title: "EXPIRES", field: "expires_at", text: (row) => textOf(row.expires_at), priority: 3 },
    { title: "CLIENT ID", field: "client_id", text: (row) => textOf(row.client_id), priority: 6 },
    { title: "KIND", text: (row) => textOf(row.kind), priority: 5 },
  ],
};
