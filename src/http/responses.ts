// Turns every unsuccessful response into the right kind of Failure. One-time passwords are handled by a layer nearer to
// the wire. A 404 may mean a missing item as well as wrong credentials, and its message says both.
//
// Single sign-on: `X-<Word>-SSO: required; url=…` on a refusal becomes an `sso` failure with the approval URL;
// `partial-results; organizations=…` is reported, and the response passes.
import {
  Failure,
  isFailure,
  type FailureDetails,
  type FailureKind,
  type Received,
} from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { isObject, objectIn, parseOrNull } from "../json.ts";
import { isLoopback, parseUrl } from "./urls.ts";
import { type RawResponse, type HttpRequest, type Layer, isWrite } from "./request.ts";
import { readWait } from "./waiting.ts";

/** Lets 2xx pass; throws a Failure for anything else. `now` is in milliseconds since the epoch. */
export function errorResponsesLayer(isKnownGithub: boolean, now: () => number): Layer {
  return (next) => async (request) => {
    const response = await next(request);
    if (response.status >= 200 && response.status < 300) return response;
    throw responseFailure(request, response, readWait(response, now()), isKnownGithub);
  };
}

function responseFailure(
  request: HttpRequest,
  response: RawResponse,
  { retryAfterMs, isLimit }: ReturnType<typeof readWait>,
  isKnownGithub: boolean,
): Failure {
  const { status } = response;
  const message = extractMessage(response);
  const reason = message === "" ? `status ${status}` : `${message} (status ${status})`;
  const wait = retryAfterMs === undefined ? "" : `; retry after ${Math.ceil(retryAfterMs / 1000)} s`;
  const failure = (kind: FailureKind, text: string, more: FailureDetails = {}): Failure =>
    new Failure(kind, text, { status, received: response, retryAfterMs, ...more });
  const isChange = isWrite(request);
  const hasId = /:(?:grant|authorization)_id$/.test(request.target.template);
  const ofItem = hasId ? "If the list works, the ID is wrong. " : "";

  if (status < 400) {
    const where = response.headers["location"] ?? "another address";
    const text = `${request.method} ${request.target.template}: the server redirects to ${where} (status ${status})`;
    const hint = "Set --base-url to the URL that the server redirects to.";
    // The request may have taken effect (RFC 9110, 15.4).
    return isChange
      ? failure("unknown", `${text}; the result is unknown`, { hint })
      : failure("protocol", text, { hint });
  }
  if (status === 401)
    return failure("authentication", `the server rejected the credentials: ${reason}`, {
      hint: credentialsHint(response, isKnownGithub),
    });
  if (status === 404)
    return failure(
      "not-found",
      `${request.subject}: not found, or the credentials are wrong (the server returns the same response for both)`,
      { hint: isWebPage(response) ? hints.baseUrl : ofItem + credentialsHint(response, isKnownGithub) },
    );
  if (isLimit)
    return failure("rate-limited", `rate limited by the server: ${reason}${wait}`, {
      hint: isChange ? hints.nothingChanged : undefined,
    });
  if (status < 500 && !(isChange && isGatewayTimeout(status)))
    return failure("refused", `the server rejected the request: ${reason}`);
  if (isChange)
    return failure("unknown", `${request.subject}: the server failed with ${reason}; the result is unknown`, {
      hint: hints.notRetried,
    });
  if (status === 503)
    return failure("rate-limited", `the server is unavailable: ${reason}${wait}`, { isTransient: true });
  const isTransient = status === 502 || status === 504;
  return failure("protocol", `the server failed: ${reason}${wait}`, { isTransient });
}

function credentialsHint({ headers }: RawResponse, isKnownGithub: boolean): string {
  const isGithub = Object.keys(headers).some((name) => name.startsWith("x-github-"));
  return isGithub && !isKnownGithub ? hints.github : hints.credentials;
}

/** True for the status of a gateway that gave up waiting: the server may have done what was asked. */
export function isGatewayTimeout(status: number): boolean {
  return status === 408 || status === 499;
}

// ---- "Not found" of the service, and that of a gateway in front of it
//
// Both end a run with the same exit code, but only the first proves that an item does not exist. The service responds
// with a JSON object with a message, as `Not Found`, or an empty body. A gateway or web site responds with HTML, plain text,
// JSON without a message, or a message about routes: `no Route matched with those values`.

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

// ---- Messages

/** The server's message and its validation errors; empty if the body has neither. */
function extractMessage(response: RawResponse): string {
  // A GraphQL response has `errors` and no `message` beside them.
  const { message = "", errors, error, error_description: description } = objectIn(response.body);
  if (typeof message !== "string") return "";
  // The form of RFC 6749, 5.2.
  if (message === "" && typeof error === "string")
    return [error, description].filter((text) => typeof text === "string" && text !== "").join(": ");
  const described = Array.isArray(errors) ? errors.slice(0, 10).map(validationProblem) : [];
  const parts = [message, described.filter((text) => text !== "").join("; ")];
  // Not truncated here: redaction must come first, because it does not recognise half a secret.
  return parts.filter((part) => part !== "").join(": ");
}

function validationProblem(error: unknown): string {
  if (typeof error === "string") return error;
  if (!isObject(error)) return "";
  const { code, field, message } = error;
  if (typeof message === "string" && message !== "") return message;
  if (typeof code !== "string") return "";
  const problem = code.replaceAll("_", " ");
  if (typeof field !== "string") return problem;
  // The name that users know: validation errors call an authorization's note `description`.
  return `${field === "description" ? "note" : field} ${problem}`;
}

// ---- Single sign-on

/** Reads the SSO header; `onPartialResults` gets the IDs of the omitted organizations, if the header names them. */
export function singleSignOnLayer(
  headerWord: string,
  onPartialResults: (organizationIds: readonly string[]) => void,
): Layer {
  const name = `x-${headerWord.toLowerCase()}-sso`;
  return (next) => async (request) => {
    const response = await next(request);
    const { status, headers } = response;
    const [, word = "", rest = ""] =
      /^\s*(required|partial-results)\s*(?:;(.*)|$)/i.exec(headers[name] ?? "") ?? [];
    if (word.toLowerCase() === "partial-results") {
      const list = /^\s*organizations=([^;]*)/i.exec(rest)?.[1] ?? "";
      onPartialResults(
        list
          .split(",")
          .map((id) => id.trim())
          .filter((id) => /^\d{1,20}$/.test(id)),
      );
    }
    // A 5xx is not a refusal: the request may have taken effect. A 429 passes. GraphQL refuses with 200.
    const isRefusal =
      status !== 429 && status < 500 && (status >= 400 || request.target.template.endsWith("/graphql"));
    if (word.toLowerCase() !== "required" || !isRefusal) return response;
    const url = approvalUrl(rest);
    throw new Failure("sso", "an organization requires approval of this token by single sign-on", {
      status,
      received: response,
      ...(url === null
        ? { hint: "The server did not provide a safe URL. Ask an owner of the organization for it." }
        : { url, hint: "Open the URL in a browser, approve the token, and run the command again." }),
    });
  };
}

/** The approval URL, if it is safe to show: https or loopback, in plain ASCII. */
function approvalUrl(parameters: string): string | null {
  const text = /^\s*url=([\x21-\x7e]{1,2048})\s*$/i.exec(parameters)?.[1] ?? "";
  const url = parseUrl(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  return isSafe ? url.href : null;
}
