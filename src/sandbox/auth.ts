// Who sends a request (the specification, 5):
//
//   the account       Basic, with a one-time password if they are on. Anything wrong is 404; only a missing or wrong code is 401
//   an application    Basic with the client ID of the path, and the client secret. Anything wrong is 404
//   a token's owner   the token in a header or in Basic; the account's password if one-time passwords are off. Otherwise 401
import { randomInt, timingSafeEqual, hash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { auth as readBasic } from "hono/utils/basic-auth";
import { Secret, TOTP } from "otpauth";
import { found, refuse } from "./responses.ts";
import type { Env, World } from "./service.ts";
import type { Application, Token } from "./store.ts";

/** Undefined for a token that is unknown or has expired. */
export function activeToken({ store, seconds }: World, value: string): Token | undefined {
  const token = store.findByValue(value);
  return token !== undefined && (token.expiresAt ?? Infinity) > seconds() ? token : undefined;
}

/** Undefined if the ID or the secret is wrong. */
export function findApplication({ store }: World, id: string, secret: string): Application | undefined {
  const application = store.applications.find(({ clientId }) => clientId === id);
  return isSame(secret, application?.clientSecret ?? "") ? application : undefined;
}

/** In constant time, so that the time does not reveal where they differ. An empty secret is never right. */
function isSame(given: string, right: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer")) && right !== "";
}

type Basic = ReturnType<typeof readBasic>;

function isAccount({ account }: World, basic: Basic): boolean {
  return basic?.username === account.login && isSame(basic.password, account.password);
}

type Guard = (world: World) => MiddlewareHandler<Env>;

export const asAccount: Guard = (world) => async (c, next) => {
  const { codes, headerWord } = world;
  const otpHeader = `X-${headerWord}-OTP`;
  found(isAccount(world, readBasic(c.req.raw)) || null);
  if (!codes.accepts(c.req.header(otpHeader) ?? "")) {
    // Text messages are sent only for requests that create or change an authorization.
    if (["POST", "PUT", "PATCH"].includes(c.req.method)) codes.challenge();
    throw refuse(401, "Must specify two-factor authentication OTP code.", {
      [otpHeader]: `required; ${codes.mode}`,
    });
  }
  await next();
};

export const asApplication: Guard = (world) => async (c, next) => {
  const basic = readBasic(c.req.raw);
  const application = findApplication(world, basic?.username ?? "", basic?.password ?? "");
  c.set("application", found(application?.clientId === c.req.param("client_id") ? application : undefined));
  await next();
};

/** Sets the token, or null for the account's password. Clients read the token's scopes from headers. */
export const asTokenOwner: Guard = (world) => async (c, next) => {
  const header = c.req.header("Authorization");
  if (header === undefined) throw refuse(401, "Requires authentication");
  const basic = readBasic(c.req.raw);
  const [, value = basicToken(world, basic)] = /^(?:token|bearer) +(\S+) *$/i.exec(header) ?? [];
  const token = activeToken(world, value) ?? null;
  if (token === null) {
    if (world.type === "github.com" || !isAccount(world, basic)) throw refuse(401, "Bad credentials");
    if (world.codes.mode !== "none")
      throw refuse(401, "With two-factor authentication on, a token must be used in place of the password.");
  }
  c.set("token", token);
  await next();
  if (token === null) return;
  c.header("X-OAuth-Scopes", token.scopes.join(", "));
  if (token.application !== null) c.header("X-OAuth-Client-Id", token.application.clientId);
  if (token.expiresAt !== null) {
    const time = new Date(token.expiresAt * 1000).toISOString();
    c.header("GitHub-Authentication-Token-Expiration", `${time.slice(0, 19).replace("T", " ")} UTC`);
  }
};

/** A token is the password of its owner, or the user name with an empty password or `x-oauth-basic`. */
function basicToken({ account }: World, basic: Basic): string {
  if (["", "x-oauth-basic"].includes(basic?.password ?? "")) return basic?.username ?? "";
  return basic?.username === account.login ? basic.password : "";
}

export type Codes = ReturnType<typeof createCodes>;

const periodMs = 30_000;
const messageMs = 5 * 60_000;
/** A code from `provide` is valid for at least so long. */
const minimumMs = 15_000;

/**
 * One-time passwords. Codes of an authenticator app follow from secret and time (RFC 6238), and are valid for their period
 * and the next; text messages are random, and valid for five minutes.
 */
export function createCodes(
  mode: "none" | "app" | "sms",
  secret: string,
  now: () => number,
  onTextMessage: (code: string) => void,
) {
  const totp = new TOTP({
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: periodMs / 1000,
  });
  const appCode = (timestamp: number): string => totp.generate({ timestamp });
  let messages: readonly { readonly code: string; readonly expiresAt: number }[] = [];
  function send(): string {
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    messages = [
      ...messages.filter(({ expiresAt }) => expiresAt > now()),
      { code, expiresAt: now() + messageMs },
    ];
    onTextMessage(code);
    return code;
  }
  return {
    mode,
    accepts(code: string): boolean {
      if (mode === "none") return true;
      if (mode === "app") return [appCode(now()), appCode(now() - periodMs)].includes(code);
      return messages.some((message) => message.code === code && message.expiresAt > now());
    },
    challenge: (): void => void (mode === "sms" && send()),
    /** A valid code, sent if necessary; null without one-time passwords. */
    provide(): string | null {
      if (mode === "none") return null;
      if (mode === "app") return appCode(now());
      const newest = messages.at(-1);
      return newest !== undefined && newest.expiresAt >= now() + minimumMs ? newest.code : send();
    },
  };
}
