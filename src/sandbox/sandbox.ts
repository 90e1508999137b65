// The embedded service: starts it, says who may use it, stops it. Wires the parts and owns none of their rules.
// Knows nothing of the command line, and writes to no stream.
import { openDataFolder, type DataFolder } from "./data-folder.ts";
import type { Surroundings } from "./handlers/surroundings.ts";
import { createFaults, type Fault } from "./http/faults.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import { readForm, readJsonObject } from "./http/request-body.ts";
import { readRequest } from "./http/sandbox-request.ts";
import { startServer, type LoopbackServer } from "./http/server.ts";
import { createApprovalRequests } from "./identity/approval-requests.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { createOneTimePasswords } from "./identity/one-time-passwords.ts";
import { createPasswordVerifier } from "./identity/password-verifier.ts";
import { createPassword, hashToken } from "./identity/secrets.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { createSingleUseValues } from "./identity/single-use-values.ts";
import { createApprovalRoutes } from "./pages/approval-routes.ts";
import { settingsAddress, settingsPath } from "./pages/settings-pages.ts";
import { createSettingsRoutes } from "./pages/settings-routes.ts";
import {
  formatCredentials,
  parseCredentials,
  type SeededApplication,
  type SeededCredentials,
} from "./seed/credentials.ts";
import { fillStore, makeCredentials } from "./seed/seed.ts";
import { seedOrganizations } from "./seed/seed-organizations.ts";
import { chooseSeedSizes, type SeedSizes } from "./seed/seed-sizes.ts";
import { createService } from "./service.ts";
import { openStore, type Store } from "./store/store.ts";

export type { Fault } from "./http/faults.ts";
export { SandboxUnavailable } from "./sandbox-unavailable.ts";

export interface SandboxOptions {
  /** 0 for any free one. */
  readonly port: number;
  /** Null to keep everything in memory. */
  readonly dataFolder: string | null;
  /** The operator's word in header names: `Service` gives `X-Service-OTP`. */
  readonly headerWord: string;
  readonly otp: "none" | "app" | "sms";
  /** The default page size. */
  readonly perPage: number;
  /** How many grants an empty store begins with; null for the default seed. */
  readonly grants: number | null;
  /** How many authorizations an empty store begins with, in all; null for the default seed. */
  readonly authorizations: number | null;
  /** How long every answer waits. */
  readonly latencyMs: number;
  /** What goes wrong on purpose. */
  readonly faults: readonly Fault[];
  /** Any number; the same one makes the same requests go wrong. */
  readonly seed: number;
  /** Host names to answer to, besides this machine's own. */
  readonly allowHosts: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The command with which the caller prints a code that is good now. */
  readonly otpCommand: (baseUrl: string) => string;
  /** Called for each text message, which nobody else delivers. */
  readonly onTextMessage: (message: { login: string; code: string }) => void;
}

interface DescribedToken {
  readonly id: number;
  readonly token: string;
  readonly token_last_eight: string;
  readonly scopes: readonly string[];
  readonly fingerprint: string;
}

interface DescribedOrganization {
  readonly id: number;
  readonly login: string;
  /** Whether personal tokens need an approval for it. */
  readonly enforces_sso: boolean;
}

/** All that somebody needs to know to use a sandbox. */
export interface SandboxDescription {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly otp: "none" | "app" | "sms";
  /** Base32, for SHA-1, six digits and 30 seconds. Null but in mode app. */
  readonly totp_secret: string | null;
  /** Null in mode none. */
  readonly otp_command: string | null;
  /** Of the first application, as `client_secret`. */
  readonly client_id: string;
  readonly client_secret: string;
  readonly applications: readonly SeededApplication[];
  /** Seeded tokens of the first application that are still live. */
  readonly tokens: readonly DescribedToken[];
  /** Those that the account is a member of, by ascending id. */
  readonly organizations: readonly DescribedOrganization[];
  /** Where a browser finds the account's settings; holds a key, and is another one after a restart. */
  readonly settings_url: string;
}

export interface Sandbox {
  readonly description: SandboxDescription;
  /** Answers what is under way, then lets go of the port and the folder. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox; it listens on 127.0.0.1 when the promise resolves. Throws SandboxUnavailable when the folder or
 * the port cannot be used, and a RangeError for options that contradict each other.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (!/^[A-Za-z0-9-]+$/.test(options.headerWord)) {
    throw new RangeError(`${JSON.stringify(options.headerWord)} cannot be a part of a header's name`);
  }
  const sizes = chooseSeedSizes(options.grants, options.authorizations);
  const folder = options.dataFolder === null ? null : openDataFolder(options.dataFolder);
  const store = openStore(folder?.storeFile ?? null);
  try {
    store.transaction(() => seedOrganizations(store.organizations));
    const credentials = await openCredentials(options, sizes, store, folder);
    const server = await startServer({ ...options, countRequest: createRateLimit(options.now) });
    const settingsKey = createPassword();
    serve(options, store, credentials, server, settingsKey);
    return {
      description: describe(options, store, credentials, server.baseUrl, settingsKey),
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

/** The credentials of the store, which is seeded first when it is empty. */
async function openCredentials(
  { now }: SandboxOptions,
  sizes: SeedSizes,
  store: Store,
  folder: DataFolder | null,
): Promise<SeededCredentials> {
  if (!store.accounts.isEmpty()) return parseCredentials(folder?.readCredentials() ?? null);
  const credentials = makeCredentials(sizes);
  // Before the store is filled: were the process killed in between, an empty store would be seeded anew, whereas
  // a full one without its passwords would be of no use to anybody.
  folder?.writeCredentials(formatCredentials(credentials));
  await fillStore(store, credentials, sizes, Math.floor(now() / 1000));
  return credentials;
}

function serve(
  options: SandboxOptions,
  store: Store,
  credentials: SeededCredentials,
  server: LoopbackServer,
  settingsKey: string,
): void {
  const oneTimePasswords = createOneTimePasswords({
    mode: options.otp,
    login: credentials.username,
    totpSecret: credentials.totp_secret,
    now: options.now,
    onTextMessage: options.onTextMessage,
  });
  const requests = createApprovalRequests(options.now);
  const values = createSingleUseValues(options.now);
  const singleSignOn = createSingleSignOn({
    approvals: store.approvals,
    requests,
    baseUrl: server.baseUrl,
    ssoHeader: `X-${options.headerWord}-SSO`,
  });
  const surroundings: Surroundings = {
    store,
    oneTimePasswords,
    singleSignOn,
    baseUrl: server.baseUrl,
    perPage: options.perPage,
    nowInSeconds: () => Math.floor(options.now() / 1000),
  };
  const service = createService(surroundings, {
    authentication: createAuthentication({
      store,
      passwords: createPasswordVerifier(),
      oneTimePasswords,
      otpHeader: `X-${options.headerWord}-OTP`,
    }),
    allowHosts: options.allowHosts,
    login: credentials.username,
    disturb: createFaults(options.faults, options.seed),
    pageRoutes: [
      ...createApprovalRoutes(surroundings, { requests, values }),
      ...createSettingsRoutes(surroundings, { values, key: settingsKey, login: credentials.username }),
    ],
  });
  server.serve((message) =>
    service({
      request: readRequest(message),
      remoteAddress: message.socket.remoteAddress,
      readBody: () => readJsonObject(message),
      readForm: () => readForm(message),
    }),
  );
}

function describe(
  options: SandboxOptions,
  store: Store,
  credentials: SeededCredentials,
  baseUrl: string,
  settingsKey: string,
): SandboxDescription {
  const [first] = credentials.applications;
  return {
    base_url: baseUrl,
    username: credentials.username,
    password: credentials.password,
    otp: options.otp,
    totp_secret: options.otp === "app" ? credentials.totp_secret : null,
    otp_command: options.otp === "none" ? null : options.otpCommand(baseUrl),
    client_id: first.client_id,
    client_secret: first.client_secret,
    applications: credentials.applications,
    tokens: credentials.tokens.flatMap((token) => describeToken(store, token)),
    organizations: store.organizations.list().map(({ id, login, enforcesSso }) => ({
      id,
      login,
      enforces_sso: enforcesSso,
    })),
    settings_url: baseUrl + settingsAddress(settingsPath, settingsKey),
  };
}

/** The token as it is now, or nothing when it is no longer live. */
function describeToken(store: Store, token: string): readonly DescribedToken[] {
  const authorization = store.authorizations.findByTokenHash(hashToken(token));
  if (authorization === undefined) return [];
  const { id, tokenLastEight, scopes, fingerprint } = authorization;
  return [{ id, token, token_last_eight: tokenLastEight, scopes, fingerprint: fingerprint ?? "" }];
}
