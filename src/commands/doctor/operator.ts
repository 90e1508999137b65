// The doctor's check of the operator: compares the configured one with what the server says without credentials.
import { askMeta, isRightFor, type ServerFacts } from "../../api/meta.ts";
import { serverName, type Operator } from "../../operators.ts";
import type { Context } from "../../run/context.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/**
 * Compares the configured operator with that of the server, and tells whether the server has no operations for
 * accounts. Sends no credentials.
 */
export async function checkOperator({
  address,
  operator,
}: Context): Promise<{ readonly finding: Finding; readonly lacksAccounts: boolean }> {
  try {
    const facts = await askMeta(await address.tokenService(null));
    return { finding: compare(operator, facts), lacksAccounts: facts !== null && facts.version === null };
  } catch (error) {
    return { finding: findingOf("operator", error), lacksAccounts: false };
  }
}

function compare(operator: Operator, facts: ServerFacts | null): Finding {
  if (facts === null) {
    return operator.answersMeta
      ? note(
          "operator",
          `${operator.name}, but the server does not say that it is GitHub's`,
          "grantctl auth status shows where the operator comes from",
        )
      : fine("operator", `${operator.name}; the server does not say that it is another`);
  }
  const server = serverName(facts.version);
  if (!isRightFor(operator, facts)) {
    return wrong(
      "operator",
      "usage",
      `${operator.name}, but the server is ${server}`,
      `grantctl config set operator ${facts.operator.name}`,
    );
  }
  if (facts.version === null)
    return note("operator", `${operator.name}: ${server}, without operations for grants and authorizations`);
  return facts.takesPasswords
    ? fine("operator", `${operator.name}: ${server}`)
    : note(
        "operator",
        `${operator.name}: ${server}, which takes no password: SAML, CAS or LDAP decides`,
        "grantctl auth login --app, or grantctl auth login --with-token",
      );
}
