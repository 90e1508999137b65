// Distinguishes the service's own "not found" from the 404 of a gateway in front of it.
//
// Both end a run with the same exit code, but only the first proves that an item does not exist. The service responds
// with a JSON object with a message, as `Not Found`, or an empty body. A gateway or web site responds with HTML, plain text,
// JSON without a message, or a message about routes: `no Route matched with those values`.
import { isObject, parseOrNull } from "../json.ts";
import { isFailure, type Failure, type Received } from "../errors/errors.ts";

type PartialResponse = Partial<Pick<Received, "headers" | "body">>;

function isHtml({ headers }: PartialResponse): boolean {
  return (headers?.["content-type"] ?? "").toLowerCase().startsWith("text/html");
}

/** True if a response is HTML, and so most likely from a gateway or a web site: the API returns JSON. */
export function isWebPage(response: PartialResponse): boolean {
  return isHtml(response) || /^(?:\uFEFF)?\s*</.test(response.body?.toString("utf8", 0, 200) ?? "");
}

/**
 * True if a failure is the service's own "not found": a JSON object with a message that is not a gateway's, an empty body
 * or object, or the `active: false` of an OAuth 2.0 server.
 */
export function isItemNotFound(error: unknown): error is Failure {
  if (!isFailure(error, "not-found")) return false;
  const received: PartialResponse = error.details.received ?? {};
  const text = received.body?.toString("utf8").trim() ?? "";
  if (text === "") return !isHtml(received);
  const response = parseOrNull(text);
  if (!isObject(response)) return false;
  const { active, message } = response;
  return text === "{}" || active === false || (typeof message === "string" && !ofGateways.test(message));
}

/** Words of gateways and web frameworks without a route for the request. */
const ofGateways = /\b(?:route|endpoint|path|url|upstream|backend|page|service)s?\b/i;
