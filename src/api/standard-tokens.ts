// An application's tokens at an OAuth 2.0 server: introspection (RFC 7662) and revocation (RFC 7009). Two responses prove
// nothing, so neither is accepted as proof of the credentials: `active: false`, which is also said of tokens that the
// server does not show to this client, and the 200 of a revocation, which every token gets. Only the two introspections
// around a revocation tell its effect:
//
//   before             revocation    after        outcome
//   active, ours       2xx           inactive     revoked
//   active, ours       2xx           active       refused
//   inactive           any           inactive     not found: inactive before and after
//   any                2xx           unavailable  accepted: not verified
//   unavailable        2xx           -            accepted: not verified
//   active, another's  not sent      -            refused
//   any                2xx           failed       unknown
//   any                no response   -            unknown
//
// An introspection is unavailable if the server has none, if it is turned off, if the server refuses it to this client, or
// if it fails with 5xx. Introspections are reads without an intent, so only the revocation can leave an unknown outcome.
//
// Some servers end all tokens of a person if a revoked token is sent again. So within a job a token is sent once: after an
// accepted revocation it is only looked at, and after one without a response only sent again unless it is inactive.
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { isoTime } from "../errors/words.ts";
import type { Intent } from "../http/request.ts";
import { readResponse, type Call, type Service } from "../http/service.ts";
import { isThrottled } from "../http/waiting.ts";
import { isObject, objectIn, readUniqueJson, textOf } from "../json.ts";
import { tokenName } from "../token.ts";
import { isWithoutMetadata } from "./authorization-server.ts";
import { endpointFailure, formCall } from "./endpoint-requests.ts";

type Fields = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, string>>;

export type IntrospectedToken = ReturnType<typeof toIntrospectedToken>;

export interface RevocationState {
  /** Tokens that this run found active, with the form that showed them. */
  readonly active: Map<string, Form>;
  /** False if inactive tokens are not sent: the user turned it off, or the server has refused to revoke one. */
  sendsInactive: boolean;
  /** Called with the reason if a revocation cannot be verified. */
  readonly onUnverified: (reason: Failure) => void;
}

interface RevocationAttempt {
  readonly shared: RevocationState;
  readonly intent: Intent;
  /**
   * The outcome of an earlier request for the token in the same job: "answered" for a token that was active before,
   * "accepted" for any other, "sent" without a response; undefined if there was none.
   */
  readonly earlier: "sent" | "accepted" | "answered" | undefined;
  /** Records that the server accepted the revocation of an active token, of which nothing else is known. */
  readonly noteResponse: () => Promise<void>;
}

type Introspection =
  | {
      readonly state: "active";
      readonly token: IntrospectedToken;
      readonly form: Form;
    }
  | { readonly state: "inactive" | "foreign" | "unavailable"; readonly failure: Failure };

/**
 * Introspects a token. Throws "not found" if it is inactive, a refusal if it belongs to another client, and "incomplete" if
 * the introspection fails or is refused.
 */
export async function introspectToken(
  service: Service,
  clientId: string,
  token: string,
): Promise<IntrospectedToken> {
  const introspection = await introspect(service, clientId, token);
  if (introspection.state === "active") return introspection.token;
  throw introspection.failure;
}

/**
 * Some servers show a refresh token only with a hint. A refusal of the hint changes nothing, unless `shown`, the form that
 * showed the token before, has it.
 */
async function introspect(
  service: Service,
  clientId: string,
  token: string,
  shown: Form = { token },
): Promise<Introspection> {
  const plain = await introspectWith({ token }, service, clientId);
  if (plain.state !== "inactive") return plain;
  const form = { token, token_type_hint: "refresh_token" };
  const hinted = await introspectWith(form, service, clientId);
  const isRefused = hinted.state === "unavailable" && (hinted.failure.details.status ?? 0) < 500;
  return isRefused && !("token_type_hint" in shown) ? plain : hinted;
}

async function introspectWith(
  form: Form & { readonly token: string },
  service: Service,
  clientId: string,
): Promise<Introspection> {
  const subject = tokenName(form.token);
  let target: string;
  try {
    target = await requireEndpoint(service, "introspection");
  } catch (error) {
    if (!isFailure(error, "usage") && !isWithoutMetadata(error)) throw error;
    return { state: "unavailable", failure: error };
  }
  try {
    const call = formCall("introspection", subject, target, form);
    const { request, response } = await service.exchange({ ...call, isRead: true });
    const fields = readResponse({ request, response }, [200], () => readIntrospection(response.body));
    if (fields["active"] !== true) {
      const failure = new Failure(
        "not-found",
        `${subject} is inactive: expired, revoked, unknown, or not shown to this client`,
        { status: 200, received: response, hint: mayBeHidden },
      );
      return { state: "inactive", failure };
    }
    const token = toIntrospectedToken(fields, form);
    if (token.client_id === null || token.client_id === clientId) return { state: "active", token, form };
    const failure = new Failure(
      "refused",
      `${subject} is active and belongs to another client, ${token.client_id}: grantctl does not revoke it`,
      { isAboutItem: true },
    );
    return { state: "foreign", failure };
  } catch (error) {
    const failure = endpointFailure(error, "introspection", service);
    const { status = 0 } = failure.details;
    const isRefused = [400, 403, 404, 405].includes(status) && failure.kind !== "authentication";
    if (!isRefused && (status < 500 || isThrottled(failure))) throw failure;
    return { state: "unavailable", failure: new Failure("incomplete", failure.message, failure.details) };
  }
}

const mayBeHidden =
  "This server may not show its tokens to this client (Keycloak 26.6.2 and later: the client must be in the token's audience).";

function readIntrospection(body: Buffer): Fields {
  const fields = readUniqueJson(body);
  if (!isObject(fields)) throw new TypeError("it is not an object");
  const { active, client_id: client = null } = fields;
  if (typeof active !== "boolean") throw new TypeError("active is not a boolean");
  if (active && client !== null && typeof client !== "string")
    throw new TypeError("client_id is not a string");
  return fields;
}

/** An active token, with times in ISO 8601. Fields that the server does not report are null. */
function toIntrospectedToken(fields: Fields, form: Fields) {
  const { token_type: type, token_use: use = type } = fields;
  const isAccess = typeof use === "string" && !/refresh/i.test(use) && form["token_type_hint"] === undefined;
  return {
    // A server that says `Bearer` of refresh tokens as well does not tell them apart.
    type: isAccess ? "access" : "refresh",
    client_id: textOf(fields["client_id"]),
    login: textOf(fields["username"]) ?? textOf(fields["sub"]),
    scopes:
      typeof fields["scope"] === "string" ? fields["scope"].split(" ").filter((word) => word !== "") : null,
    created_at: toIsoDate(fields["iat"]),
    expires_at: toIsoDate(fields["exp"]),
  } as const;
}

/** Converts seconds since 1970 to ISO 8601; null for anything but a date from 1970 to 9999. */
function toIsoDate(seconds: unknown): string | null {
  const isDate = typeof seconds === "number" && seconds >= 0 && seconds < 253_402_300_800;
  return isDate ? isoTime(seconds * 1000) : null;
}

/**
 * The reads of `revokeVerified`, without a change: the active token, or null if its revocation could not be verified.
 * Throws what `revokeVerified` would throw before it sends anything, and "not found" for an inactive token.
 */
export async function previewRevocation(
  service: Service,
  clientId: string,
  token: string,
  { onUnverified }: RevocationState,
): Promise<IntrospectedToken | null> {
  await requireEndpoint(service, "revocation");
  const before = await introspect(service, clientId, token);
  if (before.state === "active") return before.token;
  if (before.state !== "unavailable") throw before.failure;
  onUnverified(before.failure);
  return null;
}

/** Revokes a token and verifies the effect by introspection; resolves with "accepted" if it cannot be verified. */
export async function revokeVerified(
  service: Service,
  clientId: string,
  token: string,
  revocation: RevocationAttempt,
): Promise<"revoked" | "accepted"> {
  const { shared, earlier, intent } = revocation;
  const target = await requireEndpoint(service, "revocation");
  const before = await introspect(service, clientId, token, shared.active.get(token));
  if (before.state === "foreign") throw before.failure;
  if (before.state === "active") shared.active.set(token, before.form);
  const isInactive = before.state === "inactive";
  if (earlier === "accepted" && before.state === "unavailable")
    throw new Failure(
      "incomplete",
      `${tokenName(token)}: an earlier run revoked it, and its state cannot be seen: ${before.failure.message}`,
      { ...before.failure.details, isAboutItem: true, isRevocationAnswered: true },
    );
  // The token was active, and its revocation accepted.
  if (earlier === "answered") return isInactive ? "revoked" : effectOf(token, before, null, shared);
  // Servers hide active refresh tokens, so an inactive token is sent, too.
  if (isInactive && (earlier !== undefined || !shared.sendsInactive)) throw before.failure;
  const form = shared.active.get(token) ?? { token };
  const call = formCall("revocation", tokenName(token), target, form);
  const refusal = await sendRevocation(service, call, intent);
  if (refusal !== null && !isInactive) throw refusal;
  if (refusal !== null) shared.sendsInactive = false;
  const isBlind = before.state === "unavailable";
  const after = isBlind ? before : await introspectAfter(service, clientId, token, revocation);
  return effectOf(token, after, refusal, shared);
}

/** The effect of a revocation, by the introspection after it. Throws if the token is active, or was not found active. */
function effectOf(
  token: string,
  after: Introspection,
  refusal: Failure | null,
  { active, onUnverified }: RevocationState,
): "revoked" | "accepted" {
  if (after.state === "inactive" && refusal === null && active.has(token)) return "revoked";
  if (after.state === "inactive") throw after.failure.with({ isRevocationAnswered: true });
  if (refusal !== null) throw refusal;
  if (after.state === "unavailable") {
    onUnverified(after.failure);
    return "accepted";
  }
  throw new Failure(
    "refused",
    `${tokenName(token)} is still active, although the server accepted its revocation`,
    {
      isAboutItem: true,
      isRevocationAnswered: true,
      isStillActive: true,
      hint: "Run `grantctl token check` later: some servers remember the state of a token for a while.",
    },
  );
}

/** Throws an unknown failure without a response: the revocation was sent, whatever the reason is now. */
async function introspectAfter(
  service: Service,
  clientId: string,
  token: string,
  { shared, noteResponse }: RevocationAttempt,
): Promise<Introspection> {
  try {
    return await introspect(service, clientId, token, shared.active.get(token));
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (shared.active.has(token)) await noteResponse();
    throw new Failure(
      "unknown",
      `${tokenName(token)}: the server accepted the revocation, but the introspection after it failed: ${error.message}`,
      { ...error.details, hint: "Run `grantctl token check` to see whether the token is still active." },
    );
  }
}

/** Sends the revocation; resolves with the failure if the server refuses it, also with a 200 whose JSON says no. */
async function sendRevocation(
  service: Service,
  call: Call,
  intent: Intent | undefined,
): Promise<Failure | null> {
  try {
    const { response } = await service.exchange({ ...call, intent });
    const { ok, success, revoked, error } = objectIn(response.body);
    const isNo = [ok, success, revoked].some((flag) => String(flag) === "false") || Boolean(error);
    if (!isNo) return null;
    return new Failure("refused", `${call.subject}: the server refused the revocation (status 200)`, {
      isAboutItem: true,
      isRevocationAnswered: true,
    });
  } catch (error) {
    const failure = endpointFailure(error, "revocation", service);
    if (failure.kind !== "refused") throw failure;
    return failure.with(
      { isAboutItem: true, isRevocationAnswered: true },
      `${call.subject}: ${failure.message}`,
    );
  }
}

async function requireEndpoint(service: Service, name: "introspection" | "revocation"): Promise<string> {
  const target = (await service.endpoints?.pathOf(name)) ?? null;
  if (target !== null) return target;
  throw usageFailure(
    `the server has no ${name} endpoint`,
    `Run \`grantctl config set ${name}_path PATH\` if it has one.${name === "introspection" ? " Without it, grantctl can only revoke tokens there." : ""}`,
  );
}
