// The embedded service: starts it, describes it, and stops it.
//
// A start goes through these steps; the first that fails ends it, with everything closed again.
//
//   data folder opened -> store opened -> empty? seeded : credentials read -> port opened -> service connected
//
// The password of a seed is hashed while the store is loaded. The server listens before the service is connected,
// because every URL that the service sends contains the port; from then on it responds to requests.
//
// This module connects the others and has no rules of its own. It is independent of the command line and writes to no
// stream. The store is loaded on demand: its database is native, with a package per platform, which may be missing
// because of --omit=optional or an unsupported platform.
import { type HiddenTokens, oauthFailure } from "./authorization-server.ts";
import {
  type DataFolder,
  openDataFolder,
  type SeededApplication,
  type SeededCredentials,
} from "./data-folder.ts";
import { failure } from "./http/response.ts";
import { createFaults, type Fault } from "./http/faults.ts";
import { createRateLimit, type RateLimit } from "./http/rate-limit.ts";
import { type LoopbackServer, startServer } from "./http/server.ts";
import { createAuthentication } from "./identity/authentication.ts";
import {
  costInMemory,
  costOnDisk,
  createOneTimePasswords,
  createPasswordVerifier,
  type PasswordVerifier,
} from "./identity/passwords.ts";
import { createPassword, hashToken } from "./identity/secrets.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { createOwnerNotices } from "./operations/control.ts";
import type { HandlerOptions } from "./operations/operation.ts";
import { type Behaviour, behaviours, type SandboxOperator } from "./operator.ts";
import { createApprovalRoutes } from "./pages/approval.ts";
import { createForms } from "./pages/forms.ts";
import { createSettingsRoutes, settingsAddress } from "./pages/settings.ts";
import { SandboxUnavailable } from "./sandbox-unavailable.ts";
import { organizations } from "./seed/organizations.ts";
import { beginSeed, chooseSeedSizes, fillStore, type Seed, type SeedSizes } from "./seed/seed.ts";
import { createService } from "./service.ts";
import type * as StoreModule from "./store/store.ts";
import type { Store } from "./store/store.ts";

export type { Fault } from "./http/faults.ts";
export type { SandboxOperator } from "./operator.ts";
export { SandboxUnavailable } from "./sandbox-unavailable.ts";

export interface SandboxOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Null to keep everything in memory. */
  readonly dataFolder: string | null;
  readonly operator: SandboxOperator;
  /** The operator's word in header names: `Service` gives `X-Service-OTP`. */
  readonly headerWord: string;
  readonly otp: "none" | "app" | "sms";
  readonly perPage: number;
  /** How many grants an empty store begins with; null for the default seed. */
  readonly grants: number | null;
  /** How many authorizations an empty store begins with, in all; null for the default seed. */
  readonly authorizations: number | null;
  readonly latencyMs: number;
  /** The active tokens that an authorization server reports as inactive to their own application. */
  readonly hideTokens: HiddenTokens;
  /** How many reports of leaked tokens are accepted in an hour; github.com accepts 60. */
  readonly reportsPerHour: number;
  readonly faults: readonly Fault[];
  /** Any number. With the same seed, the same requests go wrong. */
  readonly seed: number;
  /** Accepted host names, besides this machine's own. */
  readonly allowHosts: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The command line that prints a code which is valid now. */
  readonly otpCommand: (baseUrl: string) => string;
  /** Called for each text message, because the sandbox sends none to a telephone. */
  readonly onTextMessage: (message: { login: string; code: string }) => void;
}

export interface Sandbox {
  readonly description: SandboxDescription;
  /** Completes the requests in flight, then frees the port and the folder. */
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
  const behaviour = behaviours[options.operator];
  if (options.hideTokens !== "none" && !behaviour.isAuthorizationServer) {
    throw new RangeError("--hide-tokens requires --operator oauth");
  }
  const sizes = chooseSeedSizes(options.grants, options.authorizations);
  const folder = options.dataFolder === null ? null : openDataFolder(options.dataFolder);
  const cost = folder === null ? costInMemory : costOnDisk;
  // The store is loaded while the password is hashed.
  const beginSeedNow = (): Seed => beginSeed(sizes, behaviour, cost, Math.floor(options.now() / 1000));
  const seed = folder?.hasCredentials() === true ? null : beginSeedNow();
  const { openStore, startFailure } = await loadStore();
  const file = folder?.storeFile ?? null;
  const store = openStore(file);
  const passwords = createPasswordVerifier(cost);
  try {
    // On a full disk there are no tables, and this is that failure.
    await store.settled();
    const credentials =
      folder === null || store.accounts.isEmpty()
        ? await seedStore(seed ?? beginSeedNow(), sizes, { store, folder, behaviour, passwords })
        : folder.readCredentials();
    await store.settled();
    const rateLimit = createRateLimit(options.now);
    const server = await startServer({
      ...options,
      headerWord: behaviour.isAuthorizationServer ? null : options.headerWord,
      rateLimit,
      enterpriseVersion: behaviour.enterpriseVersion,
    });
    const settingsKey = createPassword();
    serve(options, { store, behaviour, passwords }, credentials, { server, rateLimit, settingsKey });
    return {
      description: describeSandbox(
        options,
        store,
        credentials,
        server.baseUrl + settingsAddress(settingsKey),
        server.baseUrl,
      ),
      close: async () => {
        await server.close();
        store.close();
      },
    };
  } catch (error) {
    store.close();
    throw startFailure(file, error);
  }
}

interface Parts {
  readonly store: Store;
  readonly folder: DataFolder | null;
  readonly behaviour: Behaviour;
  readonly passwords: PasswordVerifier;
}

/** Fills the empty store, and resolves with the credentials of those who may use it. */
async function seedStore(
  seed: Seed,
  sizes: SeedSizes,
  { store, folder, behaviour, passwords }: Parts,
): Promise<SeededCredentials> {
  // Before the store is filled: were the process killed in between, an empty store would be seeded again, whereas
  // a full one without its passwords would be of no use to anybody.
  folder?.writeCredentials(seed.credentials);
  await fillStore({ store, behaviour }, seed, sizes);
  passwords.remember(await seed.password, seed.credentials.password);
  return seed.credentials;
}

function serve(
  options: SandboxOptions,
  { store, behaviour, passwords }: Omit<Parts, "folder">,
  credentials: SeededCredentials,
  listening: {
    readonly server: LoopbackServer;
    readonly rateLimit: RateLimit;
    readonly settingsKey: string;
  },
): void {
  const { server, rateLimit, settingsKey } = listening;
  const oneTimePasswords = createOneTimePasswords({
    mode: options.otp,
    login: credentials.username,
    totpSecret: credentials.totp_secret,
    now: options.now,
    onTextMessage: options.onTextMessage,
  });
  const nowInSeconds = (): number => Math.floor(options.now() / 1000);
  const forms = createForms(options.now);
  const singleSignOn = createSingleSignOn({
    approvals: store.approvals,
    baseUrl: server.baseUrl,
    ssoHeader: `X-${options.headerWord}-SSO`,
    now: options.now,
  });
  const handlerOptions: HandlerOptions = {
    store,
    behaviour,
    oneTimePasswords,
    singleSignOn,
    baseUrl: server.baseUrl,
    perPage: options.perPage,
    nowInSeconds,
    notices: createOwnerNotices(options.now),
    rateLimit,
  };
  const service = createService(handlerOptions, {
    authentication: createAuthentication({
      store,
      passwords,
      oneTimePasswords,
      nowInSeconds,
      otpHeader: `X-${options.headerWord}-OTP`,
    }),
    allowHosts: options.allowHosts,
    login: credentials.username,
    reportsPerHour: options.reportsPerHour,
    disturb: createFaults(
      options.faults,
      options.seed,
      behaviour.isAuthorizationServer ? oauthFailure : failure,
    ),
    hiddenTokens: options.hideTokens,
    versionHeader: behaviour.hasCurrentFields ? `X-${options.headerWord}-Api-Version` : null,
    pageRoutes: [
      ...createApprovalRoutes(handlerOptions, forms),
      ...createSettingsRoutes(handlerOptions, { forms, key: settingsKey, login: credentials.username }),
    ],
  });
  server.serve(service);
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
  /** True if personal tokens need an approval for it. */
  readonly enforces_sso: boolean;
}

/** Everything that is needed to use a sandbox. */
export interface SandboxDescription {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly otp: "none" | "app" | "sms";
  /** Base32, for SHA-1, six digits and 30 seconds. Null but in mode app. */
  readonly totp_secret: string | null;
  /** Null in mode none. */
  readonly otp_command: string | null;
  /** The client ID of the first application, whose secret is `client_secret`. */
  readonly client_id: string;
  readonly client_secret: string;
  readonly applications: readonly SeededApplication[];
  /** Seeded tokens of the first application that are still active. */
  readonly tokens: readonly DescribedToken[];
  /** The organizations that the account is a member of, by ascending ID. */
  readonly organizations: readonly DescribedOrganization[];
  /** The URL of the account's settings page. It contains a key, which changes with every start. */
  readonly settings_url: string;
}

/** The description of a sandbox that is ready. */
function describeSandbox(
  options: {
    readonly otp: SandboxDescription["otp"];
    readonly otpCommand: (baseUrl: string) => string;
  },
  store: Store,
  credentials: SeededCredentials,
  settingsUrl: string,
  baseUrl: string,
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
    organizations: organizations.map(({ id, login, enforcesSso }) => ({
      id,
      login,
      enforces_sso: enforcesSso,
    })),
    settings_url: settingsUrl,
  };
}

/** The token as it is now; an empty list if it is no longer active. */
function describeToken(store: Store, token: string): readonly DescribedToken[] {
  const authorization = store.authorizations.findByTokenHash(hashToken(token));
  if (authorization === undefined) return [];
  const { id, tokenLastEight, scopes, fingerprint } = authorization;
  return [{ id, token, token_last_eight: tokenLastEight, scopes, fingerprint: fingerprint ?? "" }];
}

/** The store's module. Throws SandboxUnavailable if the native database cannot be loaded. */
export async function loadStore(): Promise<typeof StoreModule> {
  try {
    return await import("./store/store.ts");
  } catch (error) {
    throw new SandboxUnavailable(`the sandbox's database cannot be loaded: ${whyNotLoaded(error)}`, {
      cause: error,
      hint: "Install grantctl again without --omit=optional. All commands except the sandbox work without it.",
    });
  }
}

function whyNotLoaded(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, missing] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  return missing === undefined ? (message.split("\n")[0] ?? "") : `the package ${missing} is not installed`;
}
