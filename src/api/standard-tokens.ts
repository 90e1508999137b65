// An application's tokens at an OAuth 2.0 server: introspection (RFC 7662), revocation (RFC 7009) and UserInfo (OpenID
// Connect Core, 5.3). Two responses prove nothing, so neither is accepted as proof of the credentials: `active: false`,
// which is also said of tokens that the server does not show to this client, and the 200 of a revocation, which every
// token gets. Only the two introspections around a revocation tell its effect:
//
//   before             revocation   after       outcome
//   active, ours       200          inactive    revoked
//   active, ours       200          active      refused: looked at again for five seconds first
//   inactive           200          inactive    not-found: gone if the credentials are proven, else unproven
//   active, another's  not sent     -           refused
//   not to be had      200          -           accepted: not verified
//   any                no response  -           unknown
//
// The looks are reads and carry no intent, so that only the revocation itself can leave an unknown outcome.
import { Failure, isFailure, usageFailure, type Received } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import type { Intent } from "../http/request.ts";
import { readResponse, type Call, type EndpointName, type Service } from "../http/service.ts";
import { isObject, readJson } from "../json/exact-json.ts";
import { lastEight, tokenName } from "../token-value.ts";
import type { Inspection } from "./inspection.ts";

/** An active token; null for what the server does not say. */
export interface IntrospectedToken {
  readonly token_last_eight: string;
  readonly client_id: string | null;
  readonly login: string | null;
  readonly scopes: readonly string[] | null;
  /** The type of the token, in the server's words. */
  readonly kind: string | null;
  /** ISO 8601. */
  readonly created_at: string | null;
  /** ISO 8601. */
  readonly expires_at: string | null;
  /** The response, unchanged. */
  readonly introspection: Readonly<Record<string, unknown>>;
}

/** Facts about the tokens that a run revokes. */
export interface RevocationRun {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The tokens that this run saw active: a throttled item starts again, when its token may be inactive already. */
  readonly seenActive: Set<string>;
}

/**
 * The application's own active token. Throws "not found" for an inactive one, and a refusal for one of another client.
 */
export async function introspectToken(
  service: Service,
  clientId: string,
  token: string,
  subject = tokenName(token),
): Promise<IntrospectedToken> {
  const look = await lookAt(service, clientId, token, subject);
  if (look.state === "active") return look.token;
  throw look.state === "inactive" ? look.failure : look.refusal;
}

/**
 * Verifies the client's credentials: an introspection is answered only to right ones, even of a token that was made up.
 * Throws an authentication failure for wrong ones.
 */
export async function verifyClient(service: Service, clientId: string, madeUp: string): Promise<void> {
  const look = await lookAt(service, clientId, madeUp, "a token that was made up");
  if (look.state === "inactive") return;
  throw look.state === "forbidden"
    ? look.refusal
    : new Failure("protocol", "the server calls a token active that grantctl made up, so it proves nothing");
}

type Look =
  | { readonly state: "active"; readonly token: IntrospectedToken }
  | { readonly state: "inactive"; readonly failure: Failure }
  | { readonly state: "forbidden" | "foreign"; readonly refusal: Failure };

async function lookAt(service: Service, clientId: string, token: string, subject: string): Promise<Look> {
  const target = (await service.endpoints?.pathOf("introspection")) ?? null;
  if (target === null) throw withoutEndpoint("introspection");
  const call = formCall(subject, target, { token });
  try {
    const exchange = await service.exchange({ ...call, isRead: true });
    // Accepted below, because only an active token proves the credentials.
    const { accept: _, ...unproven } = exchange;
    const fields = readResponse(unproven, [200], readIntrospection);
    if (fields["active"] !== true) {
      const failure = inactive(subject, exchange.response);
      return { state: "inactive", failure: exchange.judge?.(failure) ?? failure };
    }
    const found = introspected(token, fields);
    if (found.client_id !== null && found.client_id !== clientId)
      return { state: "foreign", refusal: ofAnotherClient(subject, found.client_id) };
    exchange.accept?.();
    return { state: "active", token: found };
  } catch (error) {
    const failure = endpointFailure(error, "introspection", service);
    if (failure.details.status === 403) return { state: "forbidden", refusal: failure };
    throw isUnsupported(failure) ? ofUnsupportedType(failure, subject, "show", expiryOf(token)) : failure;
  }
}

/** Revokes a token of the application, and verifies it. Resolves with whether it could be verified. */
export async function revokeVerified(
  service: Service,
  clientId: string,
  token: string,
  intent: Intent | undefined,
  { sleep, seenActive }: RevocationRun,
): Promise<"revoked" | "accepted"> {
  const subject = tokenName(token);
  const target = (await service.endpoints?.pathOf("revocation")) ?? null;
  if (target === null) throw withoutEndpoint("revocation");
  const canLook = ((await service.endpoints?.pathOf("introspection")) ?? null) !== null;
  const before = canLook ? await lookAt(service, clientId, token, subject) : null;
  if (before?.state === "foreign") throw before.refusal;
  if (before?.state === "active") seenActive.add(token);
  // Sent for an inactive token, too: servers exist that call their active refresh tokens inactive.
  const until = before?.state === "active" ? before.token.expires_at : expiryOf(token);
  await sendRevocation(service, formCall(subject, target, { token }), intent, until);
  if (before === null || before.state === "forbidden") return "accepted";
  for (const wait of [0, ...waitsForEffect]) {
    if (wait > 0) await sleep(wait);
    const after = await checkAfter(service, clientId, token, subject);
    if (after.state === "inactive") {
      if (seenActive.has(token)) return "revoked";
      throw after.failure.with({ wasAccepted: true });
    }
  }
  throw new Failure(
    "refused",
    `${subject} is still active, although the server responded to its revocation with 200`,
    {
      isAboutItem: true,
      hint: "Run `grantctl token check` later: some servers remember the state of a token for a while.",
    },
  );
}

/** Five seconds in all, for servers that response an introspection from a cache. */
const waitsForEffect = [500, 1500, 3000];

async function checkAfter(service: Service, clientId: string, token: string, subject: string): Promise<Look> {
  try {
    return await lookAt(service, clientId, token, subject);
  } catch (error) {
    if (!isFailure(error) || error.kind === "rate-limited") throw error;
    throw new Failure(
      "unknown",
      `${subject}: the server accepted the revocation, and the introspection after it failed: ${error.marked}`,
      { ...error.details, hint: "Run `grantctl token check` to see whether the token is still active." },
    );
  }
}

async function sendRevocation(
  service: Service,
  call: Call,
  intent: Intent | undefined,
  until: string | null,
): Promise<void> {
  try {
    // Any success: the body has no meaning, and the introspection afterwards tells its effect.
    await service.exchange({ ...call, intent: withoutResponses(intent) });
  } catch (error) {
    const failure = endpointFailure(error, "revocation", service);
    if (failure.kind !== "refused") throw failure;
    throw isUnsupported(failure)
      ? ofUnsupportedType(failure, call.subject, "revoke", until)
      : failure.with({ isAboutItem: true }, `${call.subject}: ${failure.marked}`);
  }
}

function isUnsupported({ kind, details }: Failure): boolean {
  return kind === "refused" && errorIn(details.received) === "unsupported_token_type";
}

/** The refusal of a token that the server keeps no record of, such as a JWT: it is valid until it expires. */
function ofUnsupportedType(failure: Failure, subject: string, action: string, until: string | null): Failure {
  const expiry = until === null ? "" : `, which expires at ${until}`;
  return failure.with(
    { isAboutItem: true },
    `${subject}: the server cannot ${action} this type of token${expiry}: ${failure.marked}`,
  );
}

/** The expiry in a JWT; null for any other token. */
function expiryOf(token: string): string | null {
  const [, payload = ""] = token.split(".");
  try {
    const claims = readJson(Buffer.from(payload, "base64url"));
    return isObject(claims) ? momentOf(claims["exp"]) : null;
  } catch {
    return null;
  }
}

/** The same intent, which keeps nothing of a response: that of a revocation holds no token. */
function withoutResponses(intent: Intent | undefined): Intent | undefined {
  return (
    intent && {
      beforeSending: () => intent.beforeSending(),
      keepResponse: (status) => intent.keepResponse(status, Buffer.alloc(0)),
    }
  );
}

/**
 * The response of UserInfo about the token that the service sends; only that it is active if the token lacks the scope
 * of UserInfo. Throws the request's failure.
 */
export async function inspectByUserInfo(service: Service, subject: string): Promise<Inspection> {
  const target = (await service.endpoints?.pathOf("userinfo")) ?? null;
  if (target === null) {
    throw usageFailure(
      "the server has no UserInfo endpoint, so a token cannot be inspected by itself",
      "Run `grantctl token check` with the credentials of the application.",
    );
  }
  try {
    const exchange = await service.exchange({ method: "GET", template: pathIn(target), target, subject });
    return readResponse(exchange, [200], (body) => {
      if (!isObject(body)) throw new TypeError("it is not an object");
      const { preferred_username: name, username, sub } = body;
      const login = [name, username, sub].find((text) => typeof text === "string" && text !== "");
      return { ...nothingSaid, login: typeof login === "string" ? login : null };
    });
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { status, received } = error.details;
    if (status === 403 && challengeError(received) === "insufficient_scope") return nothingSaid;
    throw endpointFailure(error, "userinfo", service);
  }
}

const nothingSaid: Inspection = { login: null, scopes: null, clientId: null, expiresAt: null };

/** True if a 401 is about the token itself (RFC 6750, 3.1). */
export function callsTokenInvalid(received: Received | undefined): boolean {
  return challengeError(received) === "invalid_token";
}

/** The error in the challenge of a response, or in its body. */
function challengeError(received: Received | undefined): string | null {
  const challenge = received?.headers?.["www-authenticate"] ?? "";
  return /\bBearer\b.*?[\s,]error="?([a-z_]+)/is.exec(challenge)?.[1] ?? errorIn(received);
}

/** The code of an error in the form of RFC 6749, 5.2; null for a body in another form. */
function errorIn(received: Received | undefined): string | null {
  try {
    const body = readJson(received?.body ?? Buffer.alloc(0));
    return isObject(body) && typeof body["error"] === "string" ? body["error"] : null;
  } catch {
    return null;
  }
}

function formCall(subject: string, target: string, form: Readonly<Record<string, string>>): Call {
  return { method: "POST", template: pathIn(target), target, form, subject };
}

function pathIn(target: string): string {
  return target.replace(/\?.*$/s, "");
}

function readIntrospection(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw new TypeError("it is not an object");
  const { active, client_id: client } = body;
  if (typeof active !== "boolean") throw new TypeError("active is not a boolean");
  if (active && client !== undefined && client !== null && typeof client !== "string")
    throw new TypeError("client_id is not a string");
  return body;
}

function introspected(token: string, fields: Readonly<Record<string, unknown>>): IntrospectedToken {
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const { scope } = fields;
  return {
    token_last_eight: lastEight(token),
    client_id: text("client_id"),
    login: text("username") ?? text("sub"),
    scopes: typeof scope === "string" ? scope.split(" ").filter((word) => word !== "") : null,
    kind: text("token_type"),
    created_at: momentOf(fields["iat"]),
    expires_at: momentOf(fields["exp"]),
    introspection: fields,
  };
}

/** Seconds since 1970 as ISO 8601; null for anything that is no date from 1970 to 9999. */
function momentOf(seconds: unknown): string | null {
  const isDate = typeof seconds === "number" && seconds >= 0 && seconds < 253_402_300_800;
  return isDate ? new Date(Math.floor(seconds) * 1000).toISOString().replace(".000Z", "Z") : null;
}

const mayBeHidden =
  "This server may not show its tokens to this client (Keycloak 26.6.2 and later: the client must be in the token's audience).";

function inactive(subject: string, received: Received): Failure {
  return new Failure(
    "not-found",
    `${subject} is inactive: expired, revoked, unknown, or not shown to this client`,
    {
      status: received.status,
      received,
      hint: mayBeHidden,
      proofHint: mayBeHidden,
    },
  );
}

function ofAnotherClient(subject: string, client: string): Failure {
  return new Failure(
    "refused",
    `${subject} is active and belongs to another client, ${foreign(client)}: grantctl does not revoke it`,
    { isAboutItem: true },
  );
}

function withoutEndpoint(name: "introspection" | "revocation"): Failure {
  return usageFailure(
    `the server's metadata names no ${name} endpoint`,
    `Set --${name}-path if the server has one.${name === "introspection" ? " `grantctl token inspect` needs none." : ""}`,
  );
}

/**
 * The failure of a request to an endpoint. A 404 is about the endpoint and says nothing about the token; wrong client
 * credentials may be a 400, too.
 */
function endpointFailure(error: unknown, name: EndpointName, { endpoints }: Service): Failure {
  if (!isFailure(error)) throw error;
  const { details, kind } = error;
  if (kind === "not-found" && details.status === 404) {
    return new Failure(
      "protocol",
      `the server has nothing at the path of its ${name} endpoint (status 404)`,
      {
        ...details,
        hint: name === "userinfo" ? undefined : `Set --${name}-path to the path of the endpoint.`,
      },
    );
  }
  const isClient =
    kind === "refused" && details.status === 400 && errorIn(details.received) === "invalid_client";
  if (name !== "userinfo" && (isClient || (kind === "authentication" && details.status === 401)))
    return new Failure("authentication", error.marked, { ...details, hint: endpoints?.clientHint });
  return error;
}
