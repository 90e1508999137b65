// The report of grantctl about tokens at an OAuth 2.0 server, next to the state in the server's store
// afterwards.
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { environmentOf, type OAuthServer } from "./oauth-servers.ts";

/** The status in a check, the status of a revocation, and whether the token is active afterwards. */
export type GrantctlRow = readonly [check: string, revocation: string, isActive: boolean];

type Server = Pick<OAuthServer, "issuer" | "own" | "isActive">;

/** A server's application, with separate folders. */
export function worldOf(server: Server): Readonly<Record<string, string>> {
  return { ...environmentOf(server), GRANTCTL_STATE_DIR: makeFolder(), GRANTCTL_CONFIG_DIR: makeFolder() };
}

interface ReportedRow {
  readonly status: string;
  readonly token_last_eight: string;
}

/** The rows of a job, in the order of its items; empty if it failed early. */
export function rowsOf({ stdout }: { readonly stdout: string }): readonly ReportedRow[] {
  return JSON.parse(stdout || "[]") as readonly ReportedRow[];
}

/** Checks and revokes the tokens as two jobs. */
export async function tabulate(
  server: Server,
  tokens: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<readonly GrantctlRow[]> {
  const run = { environment: { ...worldOf(server), ...variables }, input: tokens.join("\n") };
  const checked = rowsOf(await runMain(["token", "check", "--json", ...flags], run));
  const revoked = rowsOf(await runMain(["token", "revoke", "--yes", "--json", ...flags], run));
  const statusOf = (rows: typeof checked, token: string): string =>
    rows.find((row) => token.endsWith(row.token_last_eight))?.status ?? "";
  return Promise.all(
    tokens.map(async (token): Promise<GrantctlRow> => [
      statusOf(checked, token),
      statusOf(revoked, token),
      await server.isActive(token),
    ]),
  );
}
