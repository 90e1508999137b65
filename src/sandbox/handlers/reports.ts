// `POST /credentials/revoke`: takes reports of leaked tokens, whoever owns them, and refuses requests with credentials.
// Live tokens are deleted at once and their owners get notices; the answer does not say which. Not every operator has
// it.
import { failure, json, Refusal, type Answer } from "../http/answer.ts";
import { createHourlyLimit } from "../http/rate-limit.ts";
import type { JsonObject } from "../http/request-body.ts";
import { route, type Route } from "../http/routes.ts";
import type { SandboxRequest } from "../http/sandbox-request.ts";
import { hashToken } from "../identity/secrets.ts";
import type { HandlerOptions } from "./handler-options.ts";

const mostAtOnce = 1000;

/** Headers that identify the sender. */
const credentialHeaders = ["authorization", "cookie", "x-github-otp"];

/** `perHour` is how many requests an hour are accepted. */
export function createReportRoutes(
  { behaviour, store, notices, nowInSeconds }: HandlerOptions,
  perHour: number,
): readonly Route<null>[] {
  if (!behaviour.takesReports) return [];
  const takePlace = createHourlyLimit(perHour, nowInSeconds);

  const revoke = (token: string): void => {
    const authorization = store.authorizations.findByTokenHash(hashToken(token));
    if (authorization === undefined) return;
    store.access.removeAuthorization(authorization, nowInSeconds());
    notices.send(store.accounts.find(authorization.accountId)?.login ?? "", authorization.tokenLastEight);
  };

  const handle = (request: SandboxRequest, body: JsonObject): Answer => {
    const limits = takePlace();
    if (credentialHeaders.some((name) => request.header(name) !== undefined)) {
      throw new Refusal(failure(403, "Credentials are reported without credentials", limits));
    }
    const tokens = readTokens(body);
    if (tokens === null) throw new Refusal(failure(422, "Validation Failed", limits));
    for (const token of tokens) revoke(token);
    return json(202, {}, limits);
  };

  return [
    route(
      "POST /credentials/revoke",
      ({ request, body }) => store.transaction(() => handle(request, body)),
      "object",
    ),
  ];
}

/** The tokens of a report; null for a body that is no report. */
function readTokens({ credentials }: JsonObject): readonly string[] | null {
  if (!Array.isArray(credentials) || credentials.length === 0 || credentials.length > mostAtOnce) return null;
  const tokens: readonly unknown[] = credentials;
  return tokens.every((token) => typeof token === "string" && token !== "") ? (tokens as string[]) : null;
}
