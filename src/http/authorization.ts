// The `Authorization` header: Basic credentials (RFC 7617, in UTF-8) or a token. It is sent preemptively with every
// request, because servers respond to a missing header with 404 and never with a challenge.
import { usageFailure } from "../errors/errors.ts";
import { formType, withHeaders, type EndpointName, type Layer } from "./request.ts";

/** A user name and password, or a client ID and client secret. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

export function authorizationLayer(authorization: string): Layer {
  return (next) => (request) => next(withHeaders(request, { Authorization: authorization }));
}

/** A client of an OAuth 2.0 server, and where its ID and secret stand in a request: in the form, or in the header. */
export interface Client extends BasicCredentials {
  readonly isInForm: (endpoint: EndpointName | undefined) => Promise<boolean>;
}

/** Adds the client's ID and secret in one of the two ways of RFC 6749, 2.3.1, and never in both. */
export function clientLayer(client: Client): Layer {
  const [toForm, toHeader] = [clientFormLayer(client), authorizationLayer(encodeClient(client))];
  return (next) => {
    const [inForm, inHeader] = [toForm(next), toHeader(next)];
    return async (request) => ((await client.isInForm(request.endpoint)) ? inForm : inHeader)(request);
  };
}

/** Adds the client's ID and secret to the body of every form, and sends no header (`client_secret_post`). */
function clientFormLayer({ username, password }: BasicCredentials): Layer {
  const more = new URLSearchParams({ client_id: username, client_secret: password }).toString();
  return (next) => (request) =>
    next(
      request.headers["Content-Type"] === formType
        ? { ...request, body: [request.body ?? "", more].filter((part) => part !== "").join("&") }
        : request,
    );
}

/**
 * The header's value for a client of an OAuth 2.0 server (`client_secret_basic`): both parts are form-encoded first
 * (RFC 6749, 2.3.1).
 */
function encodeClient({ username, password }: BasicCredentials): string {
  return encodeBasic({ username: encodeFormText(username), password: encodeFormText(password) });
}

export function encodeFormText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The header's value for credentials. Throws a usage failure if RFC 7617, section 2, forbids a character. */
export function encodeBasic({ username, password }: BasicCredentials): string {
  if (username.includes(":"))
    throw usageFailure("the user name contains a colon, which Basic authentication does not allow");
  if (hasControlCharacter(username)) throw usageFailure("the user name contains a control character");
  if (hasControlCharacter(password))
    throw usageFailure("the password or client secret contains a control character");
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

function hasControlCharacter(text: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(text);
}

/**
 * The header's value for a token (the specification, section 5.3). Throws a usage failure if it is not a valid token.
 */
export function encodeToken(token: string, scheme: "token" | "Bearer" = "token"): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageFailure("the token contains a space, a control character or non-ASCII text");
  return `${scheme} ${token}`;
}
