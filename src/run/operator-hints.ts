// What a run knows of servers that are not what it was told they are: where github.com is, what it has no more, and what
// a 404 may mean because of it. Nothing is ever switched here; a person is told.
import { usageFailure, type Failure } from "../errors/errors.ts";
import type { FindHint, NotFound } from "../http/not-found-hints.ts";
import type { Origin } from "../http/origin.ts";
import type { Service } from "../http/service.ts";
import type { Operator } from "../operators.ts";

/** The addresses of github.com and of Enterprise Cloud, which took the account's operations away in 2020. */
const withoutAccounts = /^https:\/\/api\.(?:github\.com|(?:[a-z0-9-]+\.)+ghe\.com)$/;

/** Whether this operator has no operations for accounts at this address. */
export function isWithoutAccounts({ name }: Operator, { root }: Pick<Origin, "root">): boolean {
  return name === "github" && withoutAccounts.test(root);
}

/** The failure of whatever needs an account where there are no operations for it. */
export function noAccounts(origin: Origin): Failure {
  return usageFailure(
    `${new URL(origin.root).host} has no operations for grants and authorizations any more: github.com took them away in 2020`,
    insteadOfAccounts(origin),
  );
}

function insteadOfAccounts({ root }: Origin): string {
  const { host } = new URL(root);
  const pages = withoutAccounts.test(root) ? host.replace(/^api\./, "") : "github.com";
  return `an account's grants are at https://${pages}/settings/applications; an application's owner has grantctl token check, reset, revoke and revoke-grant`;
}

const otherOperator =
  "this server looks like GitHub; if it is: --operator github, or for good: grantctl config set operator github";

/** What a 404 may mean to an application. */
export function hintForApplication(operator: Operator): FindHint {
  return (found) => Promise.resolve(suggestsGithub(operator, found) ? otherOperator : null);
}

/** Whether the server says that it is one of these, at whatever address. Throws a failure to connect. */
export async function saysItLacksAccounts(
  { name }: Operator,
  openService: () => Promise<Service>,
): Promise<boolean> {
  if (name !== "github") return false;
  const { askMeta } = await import("../api/meta.ts");
  const facts = await askMeta(await openService());
  return facts !== null && facts.version === null;
}

/** What a 404 may mean to an account. `openService` gives a service without credentials. */
export function hintForAccount(
  operator: Operator,
  origin: Origin,
  openService: () => Promise<Service>,
): FindHint {
  let asked: Promise<string | null> | null = null;
  const ask = async (): Promise<string | null> => {
    const isWithout = await saysItLacksAccounts(operator, openService).catch(() => false);
    return isWithout ? insteadOfAccounts(origin) : null;
  };
  return async (found) => {
    if (operator.name === "github" && found.isAll) return (asked ??= ask());
    return suggestsGithub(operator, found) ? otherOperator : null;
  };
}

/** A read that is not found under the usual operator, at a server that has GitHub's headers. A write is not guessed about. */
function suggestsGithub({ name }: Operator, { isRead, headers }: NotFound): boolean {
  return (
    name === "service" && isRead && Object.keys(headers).some((header) => header.startsWith("x-github-"))
  );
}
