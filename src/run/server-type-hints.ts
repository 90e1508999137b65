// What a server type, or a server, cannot do: said before anything is sent.
import { usageFailure, type Failure } from "../errors/errors.ts";
import type { Origin } from "../http/origin.ts";
import type { Ability, ServerType } from "../server-types.ts";

/** Throws a usage failure if the server type lacks this ability. */
export function checkAbility({ name, lacks }: ServerType, ability: Ability): void {
  const lack = lacks[ability];
  if (lack !== undefined) throw usageFailure(`${lack.reason} (--server-type ${name})`, lack.instead);
}

/** The API origins of github.com and Enterprise Cloud, which removed the account's operations in 2020. */
const withoutAccounts = /^https:\/\/api\.(?:github\.com|(?:[a-z0-9-]+\.)+ghe\.com)$/;

/** True if the server at this origin is known to have no operations for accounts. */
export function isWithoutAccounts({ isGithub }: ServerType, { root }: Pick<Origin, "root">): boolean {
  return isGithub && withoutAccounts.test(root);
}

/** The failure of an account command at a server without operations for accounts. */
export function noAccounts({ root }: Pick<Origin, "root">): Failure {
  const { host } = new URL(root);
  const pages = withoutAccounts.test(root) ? host.replace(/^api\./, "") : "github.com";
  return usageFailure(
    `${host} has no operations for grants and authorizations: github.com removed them in 2020`,
    `Review the account's grants at https://${pages}/settings/applications. As the owner of an application, run \`grantctl token --help\` for its tokens.`,
  );
}
