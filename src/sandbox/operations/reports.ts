// `POST /credentials/revoke`: takes reports of leaked tokens, whoever owns them. Not every operator has it.
//
// A report has at most 1000 tokens and carries no credentials of its sender; one that does is refused. Active tokens are
// deleted at once and their owners get notices; the response does not tell which were active. Requests are limited by
// the hour, with limits of their own in the headers. A refused request counts, too.
import { type Answer, failure, json, Refusal } from "../http/answer.ts";
import { createHourlyLimit } from "../http/rate-limit.ts";
import type { JsonObject, SandboxRequest } from "../http/request.ts";
import { hashToken } from "../identity/secrets.ts";
import { type HandlerOptions, route, type Route } from "./operation.ts";

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
