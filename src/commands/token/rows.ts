// The rows of tokens, in jobs over them and in checks, and what follows the rows of those that were not found. None has a
// token's value.
import type { CheckedToken } from "../../api/tokens.ts";
import type { Context } from "../../command-line/command.ts";
import { counted, nameTen } from "../../errors/words.ts";
import type { Report } from "../../jobs/job-output.ts";
import { column, statusColumn, type Presentation } from "../../output/presentation.ts";
import { placesInWords, type Source } from "../../reports/tools.ts";
import { kindOf, lastEight } from "../../token.ts";
import type { Tokens } from "./input.ts";

/** The same fields for each command, whatever the number of tokens. `known` is what the server said of it, or null. */
export function tokenRow(
  token: string,
  status: string,
  known: CheckedToken | null,
  { sources, reason }: { readonly sources: readonly Source[]; readonly reason: string | null },
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

export function outcomeRows(
  input: Tokens,
  context: Context,
): Pick<Report<unknown, TokenRow>, "presentation" | "createRow" | "inspectGone"> {
  return {
    inspectGone: (gone, isStopped) => inspectElsewhere(gone, isStopped, input, context),
    presentation: outcomePresentation,
    createRow: (token, status, _, reason) =>
      tokenRow(token, status, null, { sources: input.sourcesOf(token), reason }),
  };
}

/** After many invalid tokens, servers also reject valid ones. */
const mostInspected = 100;

const otherApplicationNote =
  "note: a token that was not found may be another application's, and active. To see that, run `grantctl token inspect`.";

/**
 * A token that the application does not have may be another's, and active: those of a scanner's report, and personal ones of
 * GitHub, are inspected, and the active ones are named with their places. For others, a note says what "not found" may mean.
 */
export async function inspectElsewhere(
  gone: readonly string[],
  isStopped: () => boolean,
  { report, sourcesOf }: Tokens,
  context: Context,
): Promise<string | null> {
  const { notices, serverType, waits } = context;
  // UserInfo says less than the introspection has said.
  if (serverType.isOauth) return null;
  const { inspect, isOfOne } = await import("./inspect.ts");
  const wanted = gone.filter((token) => report !== null || kindOf(token)?.startsWith("personal"));
  const active: string[] = [];
  let [inspected, hasRequest] = [0, true];
  // All changes are sent: a limit is waited for no longer than for a single request.
  waits.beginJob([]);
  for (const token of wanted.slice(0, mostInspected)) {
    if (isStopped()) break;
    const { status, said, problem } = await inspect(token, context);
    if (status !== "unknown") inspected += 1;
    else if (!isOfOne.has(problem?.kind)) {
      hasRequest = problem?.details.status !== 404;
      break;
    }
    if (status !== "active" && status !== "approval-needed") continue;
    const owner = said === null ? "" : ` of ${said.login}`;
    active.push(`${lastEight(token)}${owner}${placesInWords(sourcesOf(token))}`);
  }
  if (active.length > 0)
    notices.warn(
      `still active, but not this application's: ${nameTen(active)}. Their owners can revoke them; \`grantctl authorization identify\` finds those of your own account${serverType.isGithub ? ", and `grantctl token report` reports them to GitHub" : ""}.`,
    );
  if (inspected < gone.length) notices.note(otherApplicationNote);
  else if (active.length === 0)
    notices.note("inspected: none of those that were not found is an active token of anybody else");
  const open: string[] = [];
  if (active.length > 0) open.push(`${counted(active.length, "token")} still active elsewhere`);
  if (hasRequest && inspected < wanted.length)
    open.push(`${counted(wanted.length - inspected, "token")} not inspected`);
  return open.length === 0 ? null : open.join(", ");
}
