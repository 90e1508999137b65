// The rows of tokens, in jobs over them and in checks. None has a token's value.
import type { CheckedToken } from "../../api/tokens.ts";
import type { Context } from "../../command-line/command.ts";
import type { JobReport } from "../../jobs/job-output.ts";
import { column, statusColumn, type Presentation } from "../../output/presentation.ts";
import type { Source } from "../../reports/scanners.ts";
import { lastEight } from "../../token.ts";
import type { Tokens } from "./input.ts";

/** The same fields for each command, whatever the number of tokens. `known` is what the server said of it, or null. */
export function tokenRow(
  token: string,
  status: string,
  known: CheckedToken | null,
  reason: string | null,
  sources: readonly Source[],
) {
  const [authorization, introspected] = known === null || "id" in known ? [known, null] : [null, known];
  const clientId = introspected?.client_id ?? null;
  return {
    token_last_eight: lastEight(token),
    status,
    id: authorization?.id ?? null,
    note: authorization?.note ?? null,
    app: authorization?.app ?? (clientId === null ? null : { client_id: clientId }),
    scopes: known?.scopes ?? null,
    login: introspected?.login ?? authorization?.user?.login ?? null,
    created_at: known?.created_at ?? null,
    updated_at: authorization?.updated_at ?? null,
    expires_at: known?.expires_at ?? null,
    sources,
    reason,
  };
}

export type TokenRow = ReturnType<typeof tokenRow>;

export const outcomePresentation: Presentation<TokenRow> = {
  fields:
    `token_last_eight status id note app app.name app.client_id app.url scopes login created_at updated_at
expires_at sources reason`.split(/\s/),
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

export function reportBase(input: Tokens, context: Context) {
  return {
    inspectGone: async (gone, isStopped) =>
      (await import("./inspect.ts")).inspectElsewhere(gone, isStopped, input, context),
    presentation: outcomePresentation,
    createRow: (token, status, _, reason) => tokenRow(token, status, null, reason, input.sourcesOf(token)),
  } satisfies Partial<JobReport<unknown, TokenRow>>;
}
