// Starts, describes and stops the embedded service.
//
// Start-up steps, in order; if one fails, the store is closed again:
//
//   open store -> seed it -> open port -> connect service
//
// The server listens before the service is connected, because every URL in a response contains the port; requests are
// handled from then on.
//
// This module only connects the others. It does not depend on the command line and writes to no stream. The store is
// loaded on demand: its database is native, with one package per platform, and may be missing because of
// --omit=optional or an unsupported platform.
import { oauthFailure } from "./authorization-server.ts";
import { failure } from "./http/response.ts";
import { createFaultInjector, type Fault } from "./http/faults.ts";
import { createRateLimit, type RateLimit } from "./http/rate-limit.ts";
import { startServer } from "./http/server.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { createOneTimePasswords } from "./identity/one-time-passwords.ts";
import { hashSecret } from "./identity/secrets.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import type { HandlerContext } from "./operations/operation.ts";
import { type Behaviour, behaviours, type SandboxOperator } from "./operator.ts";
import { createApprovalRoutes } from "./pages/approval.ts";
import { createForms } from "./pages/forms.ts";
import { SandboxUnavailable } from "./sandbox-unavailable.ts";
import { organizations } from "./seed/organizations.ts";
import { chooseSeedSizes, type SeededApplication, type SeededCredentials, seedStore } from "./seed/seed.ts";
import { createService } from "./service.ts";
import type * as StoreModule from "./store/store.ts";
import type { Store } from "./store/store.ts";

export type { Fault } from "./http/faults.ts";
export type { SandboxOperator } from "./operator.ts";
export { SandboxUnavailable } from "./sandbox-unavailable.ts";

export interface SandboxOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly operator: SandboxOperator;
  /** Part of header names: `Service` gives `X-Service-OTP`. */
  readonly headerWord: string;
  readonly otp: "none" | "app" | "sms";
  /** Number of seeded grants; null for the default. */
  readonly grants: number | null;
  /** Total number of seeded authorizations; null for the default. */
  readonly authorizations: number | null;
  readonly faults: readonly Fault[];
  /** Seed of the injected faults: the same seed affects the same requests. */
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns the command line that prints a valid one-time password. */
  readonly otpCommand: (baseUrl: string) => string;
  /** Receives the text messages, which the sandbox does not send to a phone. */
  readonly onTextMessage: (message: { login: string; code: string }) => void;
}

export interface Sandbox {
  readonly description: SandboxDescription;
  /** Completes requests in flight, then releases the port. */
  close(): Promise<void>;
}

/**
 * Resolves when the sandbox listens on 127.0.0.1. Throws SandboxUnavailable if the port cannot be used, and RangeError for invalid or contradictory options.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const behaviour = behaviours[options.operator];
  const sizes = chooseSeedSizes(options.grants, options.authorizations);
  const { openStore } = await loadStore();
  const store = openStore();
  try {
    const at = Math.floor(options.now() / 1000);
    const credentials = seedStore({ store, behaviour, sizes, at });
    const rateLimit = createRateLimit(options.now);
    const server = await startServer({
      ...options,
      headerWord: behaviour.isAuthorizationServer ? null : options.headerWord,
      rateLimit,
      enterpriseVersion: behaviour.enterpriseVersion,
    });
    const { baseUrl } = server;
    const parts: Parts = { store, behaviour, credentials, rateLimit, baseUrl };
    server.serve(connectService(options, parts));
    return {
      description: describeSandbox(options, parts),
      close: async () => {
        await server.close();
        store.close();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

interface Parts {
  readonly store: Store;
  readonly behaviour: Behaviour;
  readonly credentials: SeededCredentials;
  readonly rateLimit: RateLimit;
  readonly baseUrl: string;
}

function connectService(options: SandboxOptions, parts: Parts): ReturnType<typeof createService> {
  const { store, behaviour, credentials, rateLimit, baseUrl } = parts;
  const { now, headerWord } = options;
  const login = credentials.username;
  const context: HandlerContext = {
    store,
    behaviour,
    oneTimePasswords: createOneTimePasswords({
      mode: options.otp,
      totpSecret: credentials.totp_secret,
      now,
      onTextMessage: options.onTextMessage,
    }),
    singleSignOn: createSingleSignOn(store, baseUrl, `X-${headerWord}-SSO`, now),
    baseUrl,
    nowInSeconds: () => Math.floor(now() / 1000),
    rateLimit,
  };
  const createFailure = behaviour.isAuthorizationServer ? oauthFailure : failure;
  return createService(context, {
    authentication: createAuthentication(context, `X-${headerWord}-OTP`),
    login,
    injectFaults: createFaultInjector(options.faults, options.seed, createFailure),
    versionHeader: behaviour.isCurrent ? `X-${headerWord}-Api-Version` : null,
    pageRoutes: createApprovalRoutes(context, createForms(now)),
  });
}

/** The JSON that `sandbox start --json` prints: everything a client needs. */
export interface SandboxDescription {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly otp: "none" | "app" | "sms";
  /** Base32, for SHA-1, six digits and 30 seconds. Null unless `otp` is "app". */
  readonly totp_secret: string | null;
  /** Null if `otp` is "none". */
  readonly otp_command: string | null;
  /** The credentials of the first application. */
  readonly client_id: string;
  readonly client_secret: string;
  readonly applications: readonly SeededApplication[];
  /** The first application's seeded tokens. */
  readonly tokens: readonly {
    readonly id: number;
    readonly token: string;
    readonly token_last_eight: string;
    readonly scopes: readonly string[];
    readonly fingerprint: string;
  }[];
  /** The account's organizations, by ascending ID. */
  readonly organizations: readonly {
    readonly id: number;
    readonly login: string;
    /** True if personal tokens require an approval for it. */
    readonly enforces_sso: boolean;
  }[];
}

function describeSandbox(
  { otp, otpCommand }: SandboxOptions,
  { store, credentials, baseUrl }: Parts,
): SandboxDescription {
  const [first] = credentials.applications;
  return {
    base_url: baseUrl,
    username: credentials.username,
    password: credentials.password,
    otp,
    totp_secret: otp === "app" ? credentials.totp_secret : null,
    otp_command: otp === "none" ? null : otpCommand(baseUrl),
    client_id: first.client_id,
    client_secret: first.client_secret,
    applications: credentials.applications,
    tokens: credentials.tokens.flatMap((token) => {
      const authorization = store.authorizations.findByTokenHash(hashSecret(token));
      if (authorization === undefined) return [];
      const { id, tokenLastEight, scopes, fingerprint } = authorization;
      return [{ id, token, token_last_eight: tokenLastEight, scopes, fingerprint: fingerprint ?? "" }];
    }),
    organizations: organizations.map(({ id, login, enforcesSso }) => ({
      id,
      login,
      enforces_sso: enforcesSso,
    })),
  };
}

/** Throws SandboxUnavailable if the native database cannot be loaded. */
export async function loadStore(): Promise<typeof StoreModule> {
  try {
    return await import("./store/store.ts");
  } catch (error) {
    throw new SandboxUnavailable(`the sandbox's database cannot be loaded: ${loadFailureReason(error)}`, {
      cause: error,
      hint: "Install grantctl again without --omit=optional. All commands except the sandbox work without it.",
    });
  }
}

function loadFailureReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, missing] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  return missing === undefined ? (message.split("\n")[0] ?? "") : `the package ${missing} is not installed`;
}
