// An application's tokens at an OAuth 2.0 server: introspection (RFC 7662) and revocation (RFC 7009). Two responses prove
// nothing, so neither is accepted as proof of the credentials: `active: false`, which is also said of tokens that the
// server does not show to this client, and the 200 of a revocation, which every token gets. Only the two introspections
// around a revocation tell its effect:
//
//   before             revocation   after       outcome
//   active, ours       200          inactive    revoked
//   active, ours       200          active      refused, after introspecting again for five seconds
//   inactive           200          inactive    not-found: already inactive, or unproven without proven credentials
//   active or not      200          403         accepted: not verified; unknown if an introspection since then was active
//   active or not      200          no answer   unknown: a throttled introspection is repeated first
//   active, another's  not sent     -           refused
//   unavailable        200          -           accepted: not verified
//   any                no response  -           unknown
//
// Introspections are reads without an intent, so only the revocation can leave an unknown outcome.
import { Failure, isFailure, usageFailure, type Received } from "../errors/errors.ts";
import type { Intent } from "../http/request.ts";
import { readResponse, type Call, type Service } from "../http/service.ts";
import { isObject, readJson } from "../json/exact-json.ts";
import { lastEight, tokenName } from "../token-value.ts";
import { isUnusableMetadata } from "./authorization-server.ts";
import { endpointFailure, readErrorCode, formCall } from "./endpoint-requests.ts";

/** An active token. Fields that the server does not report are null. */
export interface IntrospectedToken {
  readonly token_last_eight: string;
  readonly client_id: string | null;
  readonly login: string | null;
  readonly scopes: readonly string[] | null;
  /** The token type, as the server names it. */
  readonly kind: string | null;
  /** ISO 8601. */
  readonly created_at: string | null;
  /** ISO 8601. */
  readonly expires_at: string | null;
  /** The response, unchanged. */
  readonly introspection: Readonly<Record<string, unknown>>;
}

/** State that all revocations of a run share. */
export interface RevocationState {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Waits after a failed introspection that follows a revocation; false if it must not be repeated. */
  readonly waitFor: (failure: Failure) => Promise<boolean>;
  /** Tokens that this run found active. A throttled item starts over, and its token may be inactive by then. */
  readonly seenActive: Set<string>;
}

/** Introspects a token. Throws "not found" if it is inactive, and a refusal if it belongs to another client. */
export async function introspectToken(
  service: Service,
  clientId: string,
  token: string,
  subject = tokenName(token),
): Promise<IntrospectedToken> {
  const introspection = await introspect(service, clientId, token, subject);
  if (introspection.state === "active") return introspection.token;
  throw introspection.state === "inactive" ? introspection.failure : introspection.refusal;
}

/**
 * Verifies the client's credentials by introspecting a made-up token, which the server allows only with the right
 * credentials. Throws an authentication failure for wrong ones.
 */
export async function verifyClient(
  service: Service,
  clientId: string,
  fictitiousToken: string,
): Promise<void> {
  const introspection = await introspect(service, clientId, fictitiousToken, "a made-up token");
  if (introspection.state === "inactive") return;
  throw introspection.state === "forbidden"
    ? introspection.refusal
    : new Failure(
        "protocol",
        "the server reports even a made-up token as active, so its responses prove nothing",
      );
}

type OwnIntrospection =
  | { readonly state: "active"; readonly token: IntrospectedToken }
  | { readonly state: "inactive"; readonly failure: Failure };
type Introspection =
  | OwnIntrospection
  | { readonly state: "forbidden"; readonly refusal: Failure }
  | { readonly state: "foreign"; readonly refusal: Failure };

async function introspect(
  service: Service,
  clientId: string,
  token: string,
  subject: string,
): Promise<Introspection> {
  const target = await requireEndpoint(service, "introspection");
  const call = formCall("introspection", subject, target, { token });
  try {
    const exchange = await service.exchange({ ...call, isRead: true });
    const fields = readResponse(exchange, [200], readIntrospection);
    if (fields["active"] !== true)
      return { state: "inactive", failure: inactiveFailure(subject, exchange.response) };
    const found = toIntrospectedToken(token, fields);
    if (found.client_id !== null && found.client_id !== clientId)
      return { state: "foreign", refusal: otherClientFailure(subject, found.client_id) };
    return { state: "active", token: found };
  } catch (error) {
    const failure = endpointFailure(error, "introspection", service);
    if (failure.details.status === 403) return { state: "forbidden", refusal: failure };
    throw isUnsupported(failure)
      ? unsupportedTypeFailure(failure, subject, "show", readJwtExpiry(token))
      : failure;
  }
}

/**
 * The reads of `revokeVerified`, without a change: the active token, or null if its revocation could not be verified.
 * Throws what `revokeVerified` would throw before it sends anything, and "not found" for an inactive token.
 */
export async function planRevocation(
  service: Service,
  clientId: string,
  token: string,
): Promise<IntrospectedToken | null> {
  const { before } = await openRevocation(service, clientId, token);
  if (before?.state === "inactive") throw before.failure;
  return before === null ? null : before.token;
}

/**
 * The target of a revocation, and the introspection before it; null if the server lets nobody introspect, or not this
 * client. Throws a refusal for an active token of another client.
 */
async function openRevocation(
  service: Service,
  clientId: string,
  token: string,
): Promise<{ readonly target: string; readonly before: OwnIntrospection | null }> {
  const target = await requireEndpoint(service, "revocation");
  const before = (await canIntrospect(service))
    ? await introspect(service, clientId, token, tokenName(token))
    : null;
  if (before?.state === "foreign") throw before.refusal;
  return { target, before: before?.state === "forbidden" ? null : before };
}

/** Called after the path of the revocation was found: metadata that cannot be used is then not needed for it. */
async function canIntrospect({ endpoints }: Service): Promise<boolean> {
  try {
    return ((await endpoints?.pathOf("introspection")) ?? null) !== null;
  } catch (error) {
    if (isUnusableMetadata(error)) return false;
    throw error;
  }
}

/** Revokes a token and verifies the effect by introspection; resolves with "accepted" if it cannot be verified. */
export async function revokeVerified(
  service: Service,
  clientId: string,
  token: string,
  intent: Intent | undefined,
  run: RevocationState,
): Promise<"revoked" | "accepted"> {
  const subject = tokenName(token);
  const { target, before } = await openRevocation(service, clientId, token);
  if (before?.state === "active") run.seenActive.add(token);
  // Also sent for an inactive token, because some servers report active refresh tokens as inactive.
  const until = before?.state === "active" ? before.token.expires_at : readJwtExpiry(token);
  await sendRevocation(service, formCall("revocation", subject, target, { token }), intent, until);
  if (before === null) return "accepted";
  for (const wait of [0, ...waitsForEffect]) {
    if (wait > 0) await run.sleep(wait);
    const after = await introspectAfter(service, clientId, token, run);
    if (after.state === "forbidden") {
      if (wait === 0) return "accepted";
      // An earlier introspection showed it active, perhaps from a cache.
      throw unverifiedFailure(subject, after.refusal);
    }
    if (after.state === "inactive") {
      if (run.seenActive.has(token)) return "revoked";
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

/** Five seconds in total, for servers that cache introspection responses. */
const waitsForEffect = [500, 1500, 3000];

/** Throws an unknown failure for an introspection without a response: the revocation was sent, whatever the reason is now. */
async function introspectAfter(
  service: Service,
  clientId: string,
  token: string,
  run: RevocationState,
): Promise<Introspection> {
  const subject = tokenName(token);
  for (;;) {
    try {
      return await introspect(service, clientId, token, subject);
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (!(await run.waitFor(error))) throw unverifiedFailure(subject, error);
    }
  }
}

/** The failure of a revocation that was accepted, and about whose effect the server gave no answer. */
function unverifiedFailure(subject: string, { message, details }: Failure): Failure {
  return new Failure(
    "unknown",
    `${subject}: the server accepted the revocation, but the introspection after it failed: ${message}`,
    { ...details, hint: "Run `grantctl token check` to see whether the token is still active." },
  );
}

async function sendRevocation(
  service: Service,
  call: Call,
  intent: Intent | undefined,
  until: string | null,
): Promise<void> {
  try {
    // Any 2xx will do: the body has no meaning, and the introspection afterwards shows the effect.
    await service.exchange({ ...call, intent: withoutResponses(intent) });
  } catch (error) {
    const failure = endpointFailure(error, "revocation", service);
    if (failure.kind !== "refused") throw failure;
    throw isUnsupported(failure)
      ? unsupportedTypeFailure(failure, call.subject, "revoke", until)
      : failure.with({ isAboutItem: true }, `${call.subject}: ${failure.message}`);
  }
}

function isUnsupported({ kind, details }: Failure): boolean {
  return kind === "refused" && readErrorCode(details.received) === "unsupported_token_type";
}

/** The failure for a token that the server keeps no record of, such as a JWT, which stays valid until it expires. */
function unsupportedTypeFailure(
  failure: Failure,
  subject: string,
  action: string,
  until: string | null,
): Failure {
  const expiry = until === null ? "" : `, which expires at ${until}`;
  return failure.with(
    { isAboutItem: true },
    `${subject}: the server cannot ${action} this type of token${expiry}: ${failure.message}`,
  );
}

/** The expiry in a JWT; null for any other token. */
function readJwtExpiry(token: string): string | null {
  const [, payload = ""] = token.split(".");
  try {
    const claims = readJson(Buffer.from(payload, "base64url"));
    return isObject(claims) ? toIsoDate(claims["exp"]) : null;
  } catch {
    return null;
  }
}

/** The same intent, but without response bodies: the response to a revocation contains no token. */
function withoutResponses(intent: Intent | undefined): Intent | undefined {
  return (
    intent && {
      beforeSending: () => intent.beforeSending(),
      keepResponse: (status) => intent.keepResponse(status, Buffer.alloc(0)),
    }
  );
}

function readIntrospection(body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw new TypeError("it is not an object");
  const { active, client_id: client } = body;
  if (typeof active !== "boolean") throw new TypeError("active is not a boolean");
  if (active && client !== undefined && client !== null && typeof client !== "string")
    throw new TypeError("client_id is not a string");
  return body;
}

function toIntrospectedToken(token: string, fields: Readonly<Record<string, unknown>>): IntrospectedToken {
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
    created_at: toIsoDate(fields["iat"]),
    expires_at: toIsoDate(fields["exp"]),
    introspection: fields,
  };
}

/** Converts seconds since 1970 to ISO 8601; null for anything but a date from 1970 to 9999. */
function toIsoDate(seconds: unknown): string | null {
  const isDate = typeof seconds === "number" && seconds >= 0 && seconds < 253_402_300_800;
  return isDate ? new Date(Math.floor(seconds) * 1000).toISOString().replace(".000Z", "Z") : null;
}

const mayBeHidden =
  "This server may not show its tokens to this client (Keycloak 26.6.2 and later: the client must be in the token's audience).";

function inactiveFailure(subject: string, received: Received): Failure {
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

function otherClientFailure(subject: string, client: string): Failure {
  return new Failure(
    "refused",
    `${subject} is active and belongs to another client, ${client}: grantctl does not revoke it`,
    { isAboutItem: true },
  );
}

async function requireEndpoint(service: Service, name: "introspection" | "revocation"): Promise<string> {
  const target = (await service.endpoints?.pathOf(name)) ?? null;
  if (target !== null) return target;
  throw usageFailure(
    `the server's metadata names no ${name} endpoint`,
    `Set ${name}_path if the server has one.${name === "introspection" ? " `grantctl token inspect` does not require it." : ""}`,
  );
}
