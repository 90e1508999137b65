// Turns every unsuccessful response into the right type of Failure, and reads error bodies. One-time passwords are
// handled by a layer nearer to the wire. The meaning of a 404 depends on the state of the run:
//
//   the same credentials worked before         the item does not exist; the credentials are right
//   `findHint` has a better hint               the server lacks the operation, or has it at another path
//   otherwise                                  not found or wrong credentials; for an account's list, wrong credentials
//
// Single sign-on (the specification, section 5.5): `X-<Word>-SSO: required; url=…` on a refusal becomes an `sso`
// failure with the approval URL; `partial-results; organizations=…` is reported, and the response passes.
import { Failure, type FailureDetails, isFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { hints } from "../errors/hints.ts";
import { isHtml, isWebPage, isItemNotFound } from "../errors/not-found.ts";
import { capitalised } from "../errors/words.ts";
import { isObject, readJson } from "../json/exact-json.ts";
import type { ServerType } from "../server-types.ts";
import { parseUrl } from "../parse-url.ts";
import { spellHeaderWord, challengeWords } from "./one-time-password.ts";
import { isLoopback } from "./origin.ts";
import { type RawResponse, type HttpRequest, type Layer, isWrite } from "./request.ts";
import { readWait } from "./waiting.ts";

/** Lets 2xx pass; throws a Failure for anything else. `now` is in milliseconds since the epoch. */
export function errorResponsesLayer(headerWord: string, serverType: ServerType, now: () => number): Layer {
  return (next) => async (request) => {
    const response = await next(request);
    if (response.status >= 200 && response.status < 300) return response;
    const wait = readWait(response, now(), serverType.limitsWith403);
    throw responseFailure(request, response, wait, headerWord);
  };
}

function responseFailure(
  request: HttpRequest,
  response: RawResponse,
  { retryAfterMs, isLimit }: ReturnType<typeof readWait>,
  headerWord: string,
): Failure {
  const { status } = response;
  const details = { ...responseDetails(response, headerWord), retryAfterMs };
  const serverMessage = extractMessage(response);
  const wait = retryAfterMs === undefined ? "" : `; retry after ${Math.ceil(retryAfterMs / 1000)} s`;
  const reason = serverMessage === "" ? `status ${status}` : `${foreign(serverMessage)} (status ${status})`;

  if (status < 400) return redirectFailure(request, response, details);
  if (status === 401) return unauthorizedFailure(response, headerWord, reason, details);
  if (status === 404) return notFoundFailure(request, response, details);
  if (isLimit) {
    return new Failure("rate-limited", `rate limited by the server: ${reason}${wait}`, {
      ...details,
      isRead: !isWrite(request),
      hint: isWrite(request) ? hints.nothingChanged : undefined,
    });
  }
  if (status < 500) {
    const word = otherHeaderWord(response, headerWord, "sso");
    return new Failure("refused", `the server rejected the request: ${reason}`, {
      ...details,
      hint:
        word === null
          ? undefined
          : `An organization requires approval of the token. To see its URL, ${headerWordHint(word)}`,
    });
  }
  if (isWrite(request)) {
    return new Failure(
      "unknown",
      `${request.subject}: the server failed with ${reason}; the result is unknown`,
      { ...details, hint: hints.notRetried },
    );
  }
  if (status === 503) {
    return new Failure("rate-limited", `the server is unavailable: ${reason}${wait}`, {
      ...details,
      isRead: true,
      transient: true,
    });
  }
  return new Failure("protocol", `the server failed: ${reason}${wait}`, {
    ...details,
    transient: status === 502 || status === 504,
  });
}

function notFoundFailure(request: HttpRequest, response: RawResponse, details: FailureDetails): Failure {
  const { subject, existsForEveryAccount } = request;
  if (isWebPage(response)) {
    const hint = `The response is a web page. ${hints.baseUrl}`;
    return new Failure("not-found", `${subject}: not found`, { ...details, hint });
  }
  // Every account has the lists, even if they are empty, and may create authorizations.
  const message =
    existsForEveryAccount === true
      ? `wrong user name or password (or wrong base URL): ${noAccess(request)}`
      : `${subject}: not found, or ${credentialsOf(request)} wrong (the server returns the same response for both)`;
  return new Failure("not-found", message, { ...details, hint: hintFor(request) });
}

/** The credentials of a request, with a verb. Only operations on tokens certainly use an application's credentials. */
function credentialsOf({ target }: HttpRequest): string {
  const isOfApplication = target.template.startsWith("/applications/:client_id/");
  return isOfApplication ? "the client ID or secret is" : "the credentials are";
}

function hintFor({ existsForEveryAccount, target: { template } }: HttpRequest): string {
  if (existsForEveryAccount === true) return hints.login;
  if (template === "/applications/grants/:grant_id") return hints.grantIds;
  return template === "/authorizations/:authorization_id" ? hints.authorizationIds : hints.credentials;
}

/**
 * Redirects that request the same method at another URL, so this request had no effect. Other redirects, 302 and 303
 * above all, may follow a request that took effect (RFC 9110, 15.4).
 */
const movedStatuses = [301, 307, 308];

function redirectFailure(request: HttpRequest, response: RawResponse, details: FailureDetails): Failure {
  const { status } = response;
  const location = response.headers["location"];
  const where = location === undefined ? "" : ` to ${foreign(location)}`;
  const message = `${request.method} ${request.target.template}: the server redirects${where} (status ${status}); grantctl does not follow redirects`;
  const more = { ...details, hint: hints.realAddress };
  if (!isWrite(request)) return new Failure("protocol", message, more);
  // A response with an authorization took effect, whatever its status.
  const isMoved = movedStatuses.includes(status) && !response.body.includes('"token_last_eight"');
  return isMoved
    ? new Failure("protocol", `${message}, and nothing was changed`, more)
    : new Failure("unknown", `${message}; the result is unknown`, more);
}

function unauthorizedFailure(
  response: RawResponse,
  headerWord: string,
  reason: string,
  details: FailureDetails,
): Failure {
  const otherWord = otherHeaderWord(response, headerWord, "otp");
  if (otherWord !== null) {
    return new Failure(
      "otp",
      `the server requires a one-time password in the header X-${otherWord}-OTP: ${reason}`,
      { ...details, hint: capitalised(headerWordHint(otherWord)) },
    );
  }
  return new Failure("authentication", `the server rejected the credentials: ${reason}`, {
    ...details,
    hint: hints.credentials,
  });
}

/** Longer words in X-…-OTP cannot be the name of an server type, so hints do not repeat them. */
const longestHeaderWord = 40;

/** The header word in a challenge of another type of server, as `GitHub` in X-GitHub-OTP. */
function otherHeaderWord(response: RawResponse, headerWord: string, about: "otp" | "sso"): string | null {
  const words = challengeWords(response.headers, about);
  const other = words.find((word) => word !== headerWord.toLowerCase() && word.length <= longestHeaderWord);
  return other === undefined ? null : spellHeaderWord(other);
}

function headerWordHint(word: string): string {
  return `run the command again with ${word === "GitHub" ? "--server-type github, or only with " : ""}GRANTCTL_HEADER_WORD=${word}.`;
}

function responseDetails(response: RawResponse, headerWord: string): FailureDetails {
  const requestId =
    response.headers[`x-${headerWord.toLowerCase()}-request-id`] ??
    response.headers["x-github-request-id"] ??
    response.headers["x-request-id"];
  return { status: response.status, received: response, requestId };
}

/** The server's message and its validation errors, or the title of a web page; empty if the body has neither. */
function extractMessage(response: RawResponse): string {
  let body: unknown;
  try {
    body = readJson(response.body);
  } catch {
    return isHtml(response) ? extractTitle(response.body) : "";
  }
  if (!isObject(body)) return "";
  // A GraphQL response has `errors` and no `message` beside them.
  const { message = "", errors, error, error_description: description } = body;
  if (typeof message !== "string") return "";
  // The form of RFC 6749, 5.2.
  if (message === "" && typeof error === "string")
    return [error, description].filter((text) => typeof text === "string" && text !== "").join(": ");
  const described = Array.isArray(errors) ? errors.slice(0, 10).map(describeError) : [];
  const parts = [message, described.filter((text) => text !== "").join("; ")];
  // Not truncated here: redaction must come first, because it does not recognise half a secret.
  return parts.filter((part) => part !== "").join(": ");
}

/** The title of a web page; empty if it has none, or one that is too long for a message. */
function extractTitle(page: Buffer): string {
  return /<title>([^<]{1,200})</i.exec(page.toString("utf8", 0, 4096))?.[1]?.trim() ?? "";
}

const codeMeanings: ReadonlyMap<string, string> = new Map([
  ["already_exists", "is already used"],
  ["missing_field", "is missing"],
  ["missing", "does not exist"],
  ["invalid", "is invalid"],
]);

function describeError(error: unknown): string {
  if (typeof error === "string") return error;
  if (!isObject(error)) return "";
  const { code, field, message } = error;
  if (typeof message === "string" && message !== "") return message;
  if (typeof code !== "string") return "";
  const meaning = codeMeanings.get(code) ?? code;
  if (typeof field !== "string") return `it ${meaning}`;
  // The name that users know: validation errors call an authorization's note `description`.
  return `the ${field === "description" ? "note" : field} ${meaning}`;
}

/** A 404, with the state of the run when it arrived. */
export interface NotFound {
  readonly isRead: boolean;
  /** True if no request with these credentials has succeeded in this run. */
  readonly isAll: boolean;
  /** The headers of the response; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a better hint, or null. */
export type FindHint = (found: NotFound) => Promise<string | null>;

/** Makes the messages and hints of "not found" failures specific, depending on earlier requests and `findHint`. */
export function notFoundHintsLayer(findHint: FindHint | null): Layer {
  let hasFound = false;
  return (next) => async (request: HttpRequest) => {
    try {
      const response = await next(request);
      hasFound = true;
      return response;
    } catch (error) {
      if (!isFailure(error, "not-found")) throw error;
      const headers = error.details.received?.headers ?? {};
      const isProven = hasFound && isItemNotFound(error);
      const plain = isProven ? error.with({ hint: undefined }, notFoundIfProven(request)) : error;
      const hint = await findHint?.({ isRead: !isWrite(request), isAll: !hasFound, headers });
      if (hint === undefined || hint === null) throw plain;
      throw plain.with(
        { hint },
        request.existsForEveryAccount === true ? `${request.subject}: not found` : plain.marked,
      );
    }
  };
}

/** The message for a 404 if the credentials are known to be right. */
function notFoundIfProven(request: HttpRequest): string {
  return request.existsForEveryAccount === true ? noAccess(request) : `${request.subject} does not exist`;
}

function noAccess(request: HttpRequest): string {
  return isWrite(request) ? "not found (status 404)" : `no access to ${request.subject} (status 404)`;
}

/** Reads the SSO header; `onPartialResults` gets the IDs of the omitted organizations, if the header names them. */
export function singleSignOnLayer(
  headerWord: string,
  onPartialResults: (organizationIds: readonly string[]) => void,
): Layer {
  const name = `x-${headerWord.toLowerCase()}-sso`;
  return (next) => async (request) => {
    const response = await next(request);
    const header = response.headers[name];
    if (header === undefined) return response;
    // A 5xx is not a refusal: the request may have taken effect.
    const isRefusal =
      request.isRefusedWithAnyStatus === true
        ? response.status < 500
        : response.status >= 400 && response.status < 500;
    if (isRefusal && /^\s*required\s*(?:;|$)/i.test(header)) {
      const url = approvalUrl(header);
      throw new Failure("sso", "an organization requires approval of this token by single sign-on", {
        status: response.status,
        received: response,
        ...(url === null
          ? { hint: "The server did not provide a safe URL. Ask an owner of the organization for it." }
          : { url, hint: hints.approval }),
      });
    }
    if (/^\s*partial-results\s*(?:;|$)/i.test(header)) onPartialResults(partialOrganizations(header));
    return response;
  };
}

/** The approval URL, if it is safe to show: https or loopback, in plain ASCII. */
function approvalUrl(header: string): string | null {
  const text = /^\s*required\s*;\s*url=(\S+)\s*$/i.exec(header)?.[1] ?? "";
  const url = text.length > 2048 || !/^[\x21-\x7e]+$/.test(text) ? null : parseUrl(text);
  if (url === null) return null;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
    ? url.href
    : null;
}

function partialOrganizations(header: string): readonly string[] {
  const list = /;\s*organizations=([^;]*)/i.exec(header)?.[1] ?? "";
  return list
    .split(",")
    .map((id) => id.trim())
    .filter((id) => /^\d{1,20}$/.test(id));
}
