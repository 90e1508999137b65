// Detects servers that do not match the configuration: a GitHub server configured with another server type, and one
// without the operations for accounts. Both respond with 404, so the hint explains the possible cause. grantctl never
// switches the server type on its own.
import { usageFailure, type Failure } from "../errors/errors.ts";
import type { FindHint, NotFound } from "../http/responses.ts";
import type { Origin } from "../http/origin.ts";
import type { Service } from "../http/service.ts";
import { serverName, type Ability, type ServerType } from "../server-types.ts";

/** Throws a usage failure if the server type lacks this ability. */
export function checkAbility({ name, lacks }: ServerType, ability: Ability): void {
  const lack = lacks[ability];
  if (lack !== undefined) throw usageFailure(`${lack.reason} (--server-type ${name})`, lack.instead);
}

/** The API origins of github.com and Enterprise Cloud, which removed the account's operations in 2020. */
const withoutAccounts = /^https:\/\/api\.(?:github\.com|(?:[a-z0-9-]+\.)+ghe\.com)$/;

/** True if the server at this origin is known to have no operations for accounts. */
export function isWithoutAccounts({ mayLackAccounts }: ServerType, { root }: Pick<Origin, "root">): boolean {
  return mayLackAccounts && withoutAccounts.test(root);
}

/** The failure of an account command at a server without operations for accounts. */
export function noAccounts(origin: Origin): Failure {
  return usageFailure(
    `${new URL(origin.root).host} has no operations for grants and authorizations: github.com removed them in 2020`,
    insteadOfAccounts(origin),
  );
}

function insteadOfAccounts({ root }: Origin): string {
  const { host } = new URL(root);
  const pages = withoutAccounts.test(root) ? host.replace(/^api\./, "") : "github.com";
  return `Review the account's grants at https://${pages}/settings/applications. As the owner of an application, run \`grantctl token --help\` for its tokens.`;
}

/** The hint for a 404 to a request with an application's credentials. */
export function hintForApplication(serverType: ServerType): FindHint {
  return async (found) => (!serverType.supportsMeta && isOfGithub(found) ? hintAtGithub(found) : null);
}

/** A hint to use the server type `github`; null if the server's headers indicate a version that needs another one. */
async function hintAtGithub(found: NotFound): Promise<string | null> {
  const { factsInHeaders } = await import("../api/meta.ts");
  const facts = factsInHeaders(found);
  if (facts === null) return null;
  const what =
    facts.version === null ? "This server looks like GitHub" : `This server is ${serverName(facts.version)}`;
  return `${what}. Use --server-type github, or run \`grantctl config set server_type github\` to set it permanently.`;
}

/** True if `GET /meta` shows that the server has no operations for accounts. Throws a failure to connect. */
async function reportsNoAccounts(openService: () => Promise<Service>): Promise<boolean> {
  const { fetchServerFacts } = await import("../api/meta.ts");
  const facts = await fetchServerFacts(await openService());
  return facts !== null && facts.version === null;
}

/** The hint for a 404 to a request with an account's credentials. `openService` opens a service without credentials. */
export function hintForAccount(
  serverType: ServerType,
  origin: Origin,
  openService: () => Promise<Service>,
): FindHint {
  let pendingHint: Promise<string | null> | null = null;
  const lookUpHint = async (): Promise<string | null> => {
    const isWithout = await reportsNoAccounts(openService).catch(() => false);
    return isWithout ? insteadOfAccounts(origin) : null;
  };
  return async (found) => {
    if (serverType.mayLackAccounts) return (pendingHint ??= lookUpHint());
    return !serverType.supportsMeta && isOfGithub(found) ? hintAtGithub(found) : null;
  };
}

/** True for a read whose response has GitHub's headers. Writes get no hint. */
function isOfGithub({ isRead, headers }: NotFound): boolean {
  return isRead && Object.keys(headers).some((header) => header.startsWith("x-github-"));
}
