// The rows of tokens: of jobs over them, and of inspected ones. None has a token's value.
import type { Inspection } from "../api/inspection.ts";
import { column, statusColumn, type Presentation } from "./presentation.ts";
import { isoTime } from "../errors/words.ts";
import type { CheckedToken } from "../api/tokens.ts";
import type { Source } from "../reports/tools.ts";
import { lastEight } from "../token.ts";

/** Where a token was found, and why it is not what was asked for. */
interface Circumstances {
  readonly sources?: readonly Source[];
  readonly reason?: string | null;
}

/**
 * The row of a token: the same fields for each command, and whatever the number of tokens. `known` is what the server said
 * of it, or null.
 */
export function tokenRow(
  token: string,
  status: string,
  known: CheckedToken | null,
  { sources = [], reason = null }: Circumstances = {},
) {
  const [said, introspected] = known === null || "id" in known ? [known, null] : [null, known];
  const clientId = introspected?.client_id ?? null;
  return {
    token_last_eight: lastEight(token),
    status,
    id: said?.id ?? null,
    note: said?.note ?? null,
    app: said?.app ?? (clientId === null ? null : { client_id: clientId }),
    scopes: known?.scopes ?? null,
    login: introspected?.login ?? said?.user?.login ?? null,
    created_at: known?.created_at ?? null,
    updated_at: said?.updated_at ?? null,
    expires_at: known?.expires_at ?? null,
    sources,
    reason,
  };
}

export type TokenRow = ReturnType<typeof tokenRow>;

/** The outcomes of a job over tokens. */
export const outcomePresentation: Presentation<TokenRow> = {
  fields:
    "token_last_eight status id note app app.name app.client_id app.url scopes login created_at updated_at expires_at sources reason".split(
      " ",
    ),
  columns: [statusColumn, column("LAST EIGHT", "token_last_eight", { isWhole: true })],
};

/** Tokens that were looked up, with what they are. */
export const knownTokenPresentation: Presentation<TokenRow> = {
  ...outcomePresentation,
  columns: [
    ...outcomePresentation.columns,
    column("ID", "id", { isWhole: true, priority: 2 }),
    column("NOTE", "note", { priority: 4 }),
    column("APP", "app.name", { priority: 3 }),
    column("SCOPES", "scopes", { priority: 5 }),
    column("USER", "login", { priority: 6 }),
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

/** The row of a token. Null is what the server did not report: unknown, not none. */
export function inspectedToken(
  token: string,
  status: "active" | "inactive" | "approval-needed" | "unknown",
  said: Inspection | null,
  { sources = [], reason = null }: Circumstances,
) {
  return {
    token_last_eight: lastEight(token),
    status,
    login: said?.login ?? null,
    scopes: said?.scopes ?? null,
    client_id: said?.clientId ?? null,
    expires_at: expiryOf(said?.expiresAt ?? null),
    // The type of token, from its prefix.
    kind: kinds.find(([prefix]) => token.startsWith(prefix))?.[1] ?? null,
    sources,
    reason,
  };
}

export type InspectedToken = ReturnType<typeof inspectedToken>;

/** Converts GitHub's `2026-12-31 23:59:59 UTC` to ISO 8601. Returns what is no time unchanged. */
function expiryOf(moment: string | null): string | null {
  const instant = Date.parse(moment ?? "");
  return Number.isNaN(instant) ? moment : isoTime(instant);
}

export const inspectedTokenPresentation: Presentation<InspectedToken> = {
  fields: "token_last_eight status login scopes client_id expires_at kind sources reason".split(" "),
  columns: [
    statusColumn,
    column("LAST EIGHT", "token_last_eight", { isWhole: true }),
    column("LOGIN", "login", { priority: 2 }),
    column("SCOPES", "scopes", { priority: 4 }),
    column("EXPIRES", "expires_at", { priority: 3 }),
    column("CLIENT ID", "client_id", { priority: 6 }),
    column("KIND", "kind", { priority: 5 }),
  ],
};
