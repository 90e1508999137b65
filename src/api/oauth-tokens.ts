// An application's tokens at an OAuth 2.0 server: introspection (RFC 7662) and revocation (RFC 7009). Two responses prove
// nothing, so neither is accepted as proof of the credentials: `active: false`, which is also said of tokens that the
// server does not show to this client, and the 200 of a revocation, which every token gets.
//
// An introspection is unavailable if the server has none, if it is turned off, if the server refuses it to this client, or
// if it fails with 5xx.
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { isoTime } from "../errors/words.ts";
import type { Intent } from "../http/request.ts";
import { readResponse, type Service } from "../http/service.ts";
import { isThrottled } from "../http/waiting.ts";
import { isObject, objectIn, readUniqueJson, textOf } from "../json.ts";
import { tokenName } from "../token.ts";
import { endpointFailure, formCall, isWithoutMetadata } from "./oauth-server.ts";

type Fields = Readonly<Record<string, unknown>>;
export type Form = Readonly<Record<string, string>>;

export type IntrospectedToken = ReturnType<typeof toIntrospectedToken>;

export type Introspection =
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
export async function introspect(
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
 * Revokes a token, in the form that showed it; resolves with the failure if the server refuses, also with a 200 whose JSON
 * says no.
 */
export async function sendRevocation(
  service: Service,
  token: string,
  form: Form,
  intent: Intent | undefined,
): Promise<Failure | null> {
  const target = await requireEndpoint(service, "revocation");
  const call = formCall("revocation", tokenName(token), target, form);
  try {
    const { response } = await service.exchange({ ...call, intent });
    const { ok, success, revoked, error } = objectIn(response.body);
    const isNo = [ok, success, revoked].some((flag) => String(flag) === "false") || Boolean(error);
    if (!isNo) return null;
    return new Failure("refused", `${call.subject}: the server refused the revocation (status 200)`, {
      isAboutItem: true,
    });
  } catch (error) {
    const failure = endpointFailure(error, "revocation", service);
    if (failure.kind !== "refused") throw failure;
    return failure.with({ isAboutItem: true }, `${call.subject}: ${failure.message}`);
  }
}

export async function requireEndpoint(
  service: Service,
  name: "introspection" | "revocation",
): Promise<string> {
  const target = (await service.endpoints?.pathOf(name)) ?? null;
  if (target !== null) return target;
  throw usageFailure(
    `the server has no ${name} endpoint`,
    `Run \`grantctl config set ${name}_path PATH\` if it has one.${name === "introspection" ? " Without it, grantctl can only revoke tokens there." : ""}`,
  );
}
