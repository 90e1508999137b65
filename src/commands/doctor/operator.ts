// The doctor's check of the operator: compares the configured one with what the server says without credentials.
import { askMeta, type ServerFacts } from "../../api/meta.ts";
import { serverName } from "../../operators.ts";
import type { Context } from "../../run/context.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/** Compares the configured operator with that of the server. Sends no credentials. */
export async function checkOperator({ address, operator }: Context): Promise<Finding> {
  let facts: ServerFacts | null;
  try {
    facts = await askMeta(await address.tokenService(null));
  } catch (error) {
    return findingOf("operator", error);
  }
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
  // Servers of 2.20 to 2.22 have the operations of both operators.
  const isClassicEnough =
    operator.answersMeta && operator.tokenPlace === "path" && facts.version?.startsWith("2.") === true;
  if (facts.operator.name !== operator.name && !isClassicEnough) {
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
