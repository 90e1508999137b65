// Inspects a token with a request that most operators have: its user stands in the body, the rest in headers.
import * as v from "valibot";
import { readAnswer, type Service } from "../http/service.ts";

const user = v.looseObject({ login: v.pipe(v.string(), v.nonEmpty()) });

/** Null means that the service does not tell, and not that there is none. */
export interface Inspection {
  readonly login: string;
  readonly scopes: readonly string[] | null;
  readonly clientId: string | null;
  /** As the service writes it. */
  readonly expiresAt: string | null;
}

/** The user name of the account whose token the service sends. Throws the request's failure. */
export async function getUsername(service: Service): Promise<string> {
  return (await inspectToken(service, "the user behind the token")).login;
}

/** The service's answer about the token that the request is sent with. Throws the request's failure. */
export async function inspectToken(service: Service, subject: string): Promise<Inspection> {
  const exchange = await service.exchange({ method: "GET", template: "/user", subject });
  const { login } = readAnswer(exchange, [200], (body) => v.parse(user, body));
  const { headers } = exchange.answer;
  const scopes = headers["x-oauth-scopes"];
  return {
    login,
    scopes:
      scopes === undefined
        ? null
        : scopes
            .split(",")
            .map((scope) => scope.trim())
            .filter((scope) => scope !== ""),
    clientId: filled(headers["x-oauth-client-id"]),
    expiresAt: filled(headers["github-authentication-token-expiration"]),
  };
}

/** A header that is there and empty says nothing. */
function filled(value: string | undefined): string | null {
  return value === undefined || value.trim() === "" ? null : value;
}
