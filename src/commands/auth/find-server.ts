// Finds out about the server before a login asks for a secret: which operator it is, whether the address is right, and
// whether a password can work there at all. Sends no credentials.
import type { ServerFacts } from "../../api/meta.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import type { Origin } from "../../http/origin.ts";
import type { Notices } from "../../output/notices.ts";
import { serverName, type Operator, type OperatorName } from "../../operators.ts";
import type { Address } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { noAccounts } from "../../run/operator-hints.ts";
import { isBelow, takesNoPassword } from "./refused-login.ts";

export interface FoundServer {
  /** The address, for the operator that was found. */
  readonly address: Address;
  /** The operator to write into the profile; null for none. */
  readonly operator: OperatorName | null;
}

/**
 * Asks the server at an address which operator it is; null for one that is not GitHub's, or does not say. Throws a
 * usage failure for an address that is not the API's, and a network failure where there is no server.
 */
export async function askServer(typed: Address, notices: Notices): Promise<ServerFacts | null> {
  const origin = typed.origin();
  refuseSite(origin);
  const { askMeta } = await import("../../api/meta.ts");
  const service = await typed.tokenService(null);
  try {
    const facts = await askMeta(service);
    if (facts === null && origin.prefix === "" && (await askMeta(service, "/api/v3")) !== null)
      throw isBelow(origin);
    return facts;
  } catch (error) {
    if (!isFailure(error, "network") || error.details.hasLeft !== true) throw error;
    // Only the operator stays unknown: the credentials are tested by another read.
    notices.warn(`${error.marked}; the operator is not looked up`);
    return null;
  }
}

/**
 * Judges whether a login of this kind can work at a server. Throws a usage failure for an account where the server has
 * no operations for accounts, and an authentication failure where no password can work.
 */
export function judgeServer(
  typed: Address,
  facts: ServerFacts | null,
  kind: SecretKind,
  context: Context,
): FoundServer {
  const origin = typed.origin();
  if (facts === null) return { address: typed, operator: context.options.operator ?? null };
  const operator = chooseOperator(facts.operator, serverName(facts.version), context);
  if (kind === "password" && operator.answersMeta) {
    if (facts.version === null) throw noAccounts(origin);
    if (!facts.takesPasswords) throw takesNoPassword(origin);
  }
  const isAsTyped = operator.name === context.operator.name;
  return {
    address: isAsTyped ? typed : context.addressAt(origin.href, operator),
    operator: operator.name,
  };
}

/** The operator that was chosen by flag or variable, otherwise the one that was found. Writes a note on it. */
function chooseOperator(found: Operator, server: string, { operator, settings, notices }: Context): Operator {
  const source = settings.operator?.source;
  const isChosen = source === "flag" || source === "environment";
  if (!isChosen) {
    notices.note(`this is ${server}: the operator is ${found.name}`);
    return found;
  }
  if (found.name !== operator.name) {
    notices.warn(
      `this is ${server}, whose operator is ${found.name}; ${operator.name} is used, as you asked`,
    );
  }
  return operator;
}

/** Refuses github.com itself, which is the web site: its API has another address. */
function refuseSite({ root }: Origin): void {
  const { hostname } = new URL(root);
  if (hostname !== "github.com" && hostname !== "www.github.com") return;
  throw usageFailure(
    `${hostname} is for browsers; the service is at https://api.github.com`,
    "grantctl auth login --app --operator github",
  );
}
