// Operations 11 to 13 of the specification: an application's tokens. Needs the application's credentials.
import { sendForJson, sendForNothing, type Call, type Service } from "../http/service.ts";
import { checkAuthorizationWithoutValue, checkAuthorizationWithValue } from "./checks.ts";
import { lastEight } from "./last-eight.ts";
import type { Authorization } from "./resources.ts";

/** Operation 11: the authorization behind a live token, with its user; without the value, which the caller has. */
export async function checkToken(service: Service, clientId: string, token: string): Promise<Authorization> {
  return (
    await sendForJson(service, tokenCall("GET", clientId, token), [200], checkAuthorizationWithoutValue)
  ).body;
}

/** Operation 12: a new value for a live token, at once; the answer shows it, this once. */
export async function resetToken(service: Service, clientId: string, token: string): Promise<Authorization> {
  const call = tokenCall("POST", clientId, token);
  return (await sendForJson(service, call, [200, 201], checkAuthorizationWithValue)).body;
}

/** Operation 13: deletes one token. */
export function revokeToken(service: Service, clientId: string, token: string): Promise<void> {
  return sendForNothing(service, tokenCall("DELETE", clientId, token));
}

function tokenCall(method: "GET" | "POST" | "DELETE", clientId: string, token: string): Call {
  return {
    method,
    template: "/applications/:client_id/tokens/:access_token",
    parameters: { client_id: clientId, access_token: token },
    subject: `the token ending in ${lastEight(token)}`,
  };
}
