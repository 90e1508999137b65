// Who sends a request:
//
//   the account       Basic, with a one-time password if they are on. A missing or wrong code is 401, anything else 404
//   an application    Basic with the client ID of the path, and the client secret. Anything wrong is 404
//   a token's owner   the token, in a header or as the password in Basic, or without one-time passwords the account's password.
//                     Anything wrong is 401
import { randomInt } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { auth as readBasic } from "hono/utils/basic-auth";
import { Secret, TOTP } from "otpauth";
import { found, refuse } from "./responses.ts";
import type { SandboxOptions } from "./sandbox.ts";
import type { Env, World } from "./service.ts";
import type { Application, Token } from "./store.ts";

/** Undefined for a token that is unknown or has expired. */
export function activeToken({ store, seconds }: World, value: string): Token | undefined {
  const token = store.findByValue(value);
  return token !== undefined && (token.expiresAt ?? Infinity) > seconds() ? token : undefined;
}

export function findApplication({ store }: World, id = "", secret = ""): Application | undefined {
  return store.applications.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret);
}

function isAccount({ account }: World, c: Context<Env>): boolean {
  const basic = readBasic(c.req.raw);
  return basic?.username === account.login && basic.password === account.password;
}

type Guard = (world: World) => MiddlewareHandler<Env>;

export const asAccount: Guard = (world) => async (c, next) => {
  const { codes, headerWord } = world;
  const otpHeader = `X-${headerWord}-OTP`;
  found(isAccount(world, c));
  if (!codes.accepts(c.req.header(otpHeader) ?? "")) {
    // Text messages are sent only for requests that create or change an authorization.
    if (codes.mode === "sms" && ["POST", "PUT", "PATCH"].includes(c.req.method)) codes.provide();
    const required = { [otpHeader]: `required; ${codes.mode}` };
    throw refuse(401, "Must specify two-factor authentication OTP code.", required);
  }
  await next();
};

export const asApplication: Guard = (world) => async (c, next) => {
  const basic = readBasic(c.req.raw);
  const application = findApplication(world, basic?.username, basic?.password);
  c.set("application", found(application?.clientId === c.req.param("client_id") && application));
  await next();
};

/** Sets the token, or null for the account's password. Clients read the token's scopes from headers. */
export const asTokenOwner: Guard = (world) => async (c, next) => {
  const header = c.req.header("Authorization") ?? "";
  const basic = readBasic(c.req.raw);
  const inBasic = basic?.username === world.account.login ? basic.password : "";
  const [, value = inBasic] = /^(?:token|bearer) +(\S+) *$/i.exec(header) ?? [];
  const token = activeToken(world, value) ?? null;
  if (token === null) {
    if (world.serverType === "github.com" || !isAccount(world, c)) throw refuse(401, "Bad credentials");
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

export type Codes = ReturnType<typeof createCodes>;

/**
 * One-time passwords. Codes of an authenticator app follow from secret and time (RFC 6238), and are valid for their period
 * and the next; text messages are random, and valid for five minutes.
 */
export function createCodes({ otp: mode, now, onTextMessage }: SandboxOptions, secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 });
  const messages = new Map<string, number>();
  return {
    mode,
    accepts(code: string): boolean {
      if (mode === "none") return true;
      if (mode === "sms") return (messages.get(code) ?? 0) > now();
      return [0, -1].includes(totp.validate({ token: code, timestamp: now() }) ?? 1);
    },
    provide(): string | null {
      if (mode === "none") return null;
      if (mode === "app") return totp.generate({ timestamp: now() });
      const code = String(randomInt(1_000_000)).padStart(6, "0");
      messages.set(code, now() + 5 * 60_000);
      onTextMessage(code);
      return code;
    },
  };
}
