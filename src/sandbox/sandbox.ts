// The embedded service: starts it, says who may log in, stops it. Connects its modules and has no rules of its own.
// Knows nothing of the command line, and writes to no stream.
import { describeSandbox, type SandboxDescription } from "./description.ts";
import { openDataFolder, type DataFolder } from "./data-folder.ts";
import type { HandlerOptions } from "./handlers/handler-options.ts";
import { createFaults, type Fault } from "./http/faults.ts";
import { createRateLimit, type RateLimit } from "./http/rate-limit.ts";
import { readForm, readJsonObject } from "./http/request-body.ts";
import { readRequest } from "./http/sandbox-request.ts";
import { startServer, type LoopbackServer } from "./http/server.ts";
import { createApprovalRequests } from "./identity/approval-requests.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { createOneTimePasswords } from "./identity/one-time-passwords.ts";
import {
  costInMemory,
  costOnDisk,
  createPasswordVerifier,
  type PasswordVerifier,
} from "./identity/password-verifier.ts";
import { createOwnerNotices } from "./identity/owner-notices.ts";
import { createPassword } from "./identity/secrets.ts";
import { createSingleSignOn } from "./identity/single-sign-on.ts";
import { createSingleUseValues } from "./identity/single-use-values.ts";
import { createApprovalRoutes } from "./pages/approval-routes.ts";
import { settingsAddress, settingsPath } from "./pages/settings-pages.ts";
import { createSettingsRoutes } from "./pages/settings-routes.ts";
import { formatCredentials, parseCredentials, type SeededCredentials } from "./seed/credentials.ts";
import { beginSeed, fillStore, type Seed } from "./seed/seed.ts";
import { chooseSeedSizes, type SeedSizes } from "./seed/seed-sizes.ts";
import { behaviours, type Behaviour, type SandboxOperator } from "./operator.ts";
import { createService } from "./service.ts";
import { loadStore } from "./load-store.ts";
import type { Store } from "./store/store.ts";

export type { SandboxDescription } from "./description.ts";
export type { Fault } from "./http/faults.ts";
export type { SandboxOperator } from "./operator.ts";
export { loadStore } from "./load-store.ts";
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
  /** How many reports of leaked tokens are accepted in an hour; github.com accepts 60. */
  readonly reportsPerHour: number;
  readonly faults: readonly Fault[];
  /** Any number. With the same seed, the same requests go wrong. */
  readonly seed: number;
  /** Host names to answer to, besides this machine's own. */
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
  /** Answers the requests under way, then frees the port and the folder. */
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
  const behaviour = behaviours[options.operator];
  const cost = folder === null ? costInMemory : costOnDisk;
  const stored = folder?.readCredentials() ?? null;
  // The store is loaded while the password is hashed.
  const seed = stored === null ? beginSeed(sizes, behaviour, cost) : null;
  const { openStore, startFailure } = await loadStore();
  const file = folder?.storeFile ?? null;
  const store = openStore(file);
  const passwords = createPasswordVerifier(cost);
  try {
    // On a full disk there are no tables, and this is the failure that says so.
    await store.settled();
    const credentials = store.accounts.isEmpty()
      ? await seedStore(seed ?? beginSeed(sizes, behaviour, cost), sizes, options.now(), {
          store,
          folder,
          behaviour,
          passwords,
        })
      : parseCredentials(folder?.readCredentials() ?? null);
    await store.settled();
    const rateLimit = createRateLimit(options.now);
    const server = await startServer({
      ...options,
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
        server.baseUrl + settingsAddress(settingsPath, settingsKey),
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
  now: number,
  { store, folder, behaviour, passwords }: Parts,
): Promise<SeededCredentials> {
  // Before the store is filled: were the process killed in between, an empty store would be seeded anew, whereas
  // a full one without its passwords would be of no use to anybody.
  folder?.writeCredentials(formatCredentials(seed.credentials));
  await fillStore({ store, behaviour }, seed, sizes, Math.floor(now / 1000));
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
  const requests = createApprovalRequests(options.now);
  const values = createSingleUseValues(options.now);
  const singleSignOn = createSingleSignOn({
    approvals: store.approvals,
    requests,
    baseUrl: server.baseUrl,
    ssoHeader: `X-${options.headerWord}-SSO`,
    nowInSeconds,
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
    disturb: createFaults(options.faults, options.seed),
    versionHeader: behaviour.isOfToday ? `X-${options.headerWord}-Api-Version` : null,
    pageRoutes: [
      ...createApprovalRoutes(handlerOptions, { requests, values }),
      ...createSettingsRoutes(handlerOptions, { values, key: settingsKey, login: credentials.username }),
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
