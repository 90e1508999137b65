// The `Authorization` header: Basic credentials (RFC 7617, in UTF-8) or a token. It is sent preemptively with every
// request, because servers respond to a missing header with 404 and never with a challenge.
import { usageFailure } from "../errors/errors.ts";
import { formType, withHeaders, type EndpointName, type Layer } from "./request.ts";

/** A user name and password, or a client ID and client secret. */
export interface Credentials {
  readonly name: string;
  readonly secret: string;
}

/** How a client of an OAuth 2.0 server authenticates (RFC 6749, 2.3.1): in the header, in the form, or with its ID alone. */
export type ClientAuth = "basic" | "post" | "none";

export interface Client extends Credentials {
  readonly authAt: (endpoint: EndpointName | undefined) => Promise<ClientAuth>;
}

/** Adds the client's ID and secret in one way, and never in two. */
export function clientLayer({ name, secret, authAt }: Client): Layer {
  // Form-encoded first (`client_secret_basic`; RFC 6749, 2.3.1).
  const encoded = { name: encodeFormText(name), secret: encodeFormText(secret) };
  const header = { authorization: encodeBasic(encoded) };
  return (next) => async (request) => {
    const auth = await authAt(request.endpoint);
    if (auth === "basic") return next(withHeaders(request, header));
    if (request.headers["content-type"] !== formType) return next(request);
    const proof = auth === "post" ? { client_secret: secret } : {};
    const more = String(new URLSearchParams({ client_id: name, ...proof }));
    return next({ ...request, body: [request.body ?? "", more].filter((part) => part !== "").join("&") });
  };
}

export function encodeFormText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** The header's value for credentials. Throws a usage failure if RFC 7617, section 2, forbids a character. */
export function encodeBasic({ name, secret }: Credentials): string {
  if (name.includes(":"))
    throw usageFailure("the user name contains a colon, which Basic authentication does not allow");
  if (/[\u0000-\u001f\u007f]/.test(name + secret))
    throw usageFailure("the user name, password or client secret contains a control character");
  return `Basic ${Buffer.from(`${name}:${secret}`, "utf8").toString("base64")}`;
}

/** The header's value for a token. Throws a usage failure if it is not a valid token. */
export function encodeToken(token: string, scheme: "token" | "Bearer"): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageFailure("the token contains a space, a control character or non-ASCII text");
  return `${scheme} ${token}`;
}
