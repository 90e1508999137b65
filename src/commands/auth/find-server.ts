// What a login finds out about the server before it asks anybody for a secret: which operator it is, whether the address
// is the right one, and whether a password can work there at all. Sends no credentials.
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
 * Asks the server at an address what it is; null for one that is not GitHub's, or that never answers to this. Throws a
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
    // Only the operator is not known then, and the credentials are proven by a read of their own.
    notices.warn(`${error.marked}; the operator is not looked up`);
    return null;
  }
}

/**
 * What a server that was asked is to a login of this kind. Throws a usage failure for an account where there are no
 * operations for it, an authentication failure where no password can work.
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
  if (kind === "password" && operator.name !== "service") {
    if (facts.version === null) throw noAccounts(origin);
    if (!facts.takesPasswords) throw takesNoPassword(origin);
  }
  const isAsTyped = operator.name === context.operator.name;
  return {
    address: isAsTyped ? typed : context.addressAt(origin.href, operator),
    operator: operator.name,
  };
}

/** The one that was chosen by flag or variable, or else the one that was found; says which. */
function chooseOperator(found: Operator, server: string, { operator, settings, notices }: Context): Operator {
  const source = settings.operator?.source;
  const isChosen = source === "flag" || source === "environment";
  if (!isChosen) {
    notices.note(`this is ${server}: the operator is ${found.name}`);
    return found;
  }
  if (found.name !== operator.name) {
    notices.warn(
      `this is ${server}, whose operator is ${found.name}; it is taken for ${operator.name} as you say`,
    );
  }
  return operator;
}

/** Refuses github.com itself, which is for browsers: its API has an address of its own. */
function refuseSite({ root }: Origin): void {
  const { hostname } = new URL(root);
  if (hostname !== "github.com" && hostname !== "www.github.com") return;
  throw usageFailure(
    `${hostname} is for browsers; the service is at https://api.github.com`,
    "grantctl auth login --app --operator github",
  );
}
