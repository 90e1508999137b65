// Requests to the endpoints of an OAuth 2.0 server, and what their failures mean.
import { Failure, isFailure } from "../errors/errors.ts";
import type { EndpointName } from "../http/request.ts";
import type { Call, Service } from "../http/service.ts";
import { objectIn } from "../json.ts";

export function formCall(
  endpoint: EndpointName,
  subject: string,
  target: string,
  form: Readonly<Record<string, string>>,
): Call {
  return { method: "POST", template: stripQuery(target), target, form, subject, endpoint };
}

export function stripQuery(target: string): string {
  return target.replace(/\?.*$/s, "");
}

/**
 * The failure of a request to an endpoint. A 404 is about the endpoint and says nothing about the token; wrong client
 * credentials may be a 400, too.
 */
export function endpointFailure(error: unknown, name: EndpointName, { endpoints }: Service): Failure {
  if (!isFailure(error)) throw error;
  const { details, kind } = error;
  if (kind === "not-found" && details.status === 404) {
    const message = `the server has nothing at the path of its ${name} endpoint (status 404)`;
    return new Failure("protocol", message, {
      ...details,
      hint: `Set ${name}_path to the path of the endpoint.`,
    });
  }
  const isClient =
    kind === "refused" &&
    details.status === 400 &&
    objectIn(details.received?.body)["error"] === "invalid_client";
  if (name !== "userinfo" && (isClient || (kind === "authentication" && details.status === 401)))
    return new Failure("authentication", error.message, { ...details, hint: endpoints?.clientHint?.(name) });
  return error;
}
