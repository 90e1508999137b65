// Starts the sandbox on loopback, and describes it. Everything is in memory and gone when it stops.
import { serve } from "@hono/node-server";
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "otpauth";
import { createCodes } from "./auth.ts";
import { createFaults, type Fault } from "./faults.ts";
import { makeToken, organizations, seed } from "./seed.ts";
import { createService, type Lies, type RequestHook, type ServerType } from "./service.ts";
import { createStore, type Write } from "./store.ts";

export type { Fault } from "./faults.ts";
export type { RequestHook, ServerType } from "./service.ts";
export type { Token } from "./store.ts";

export interface SandboxOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly operator: ServerType;
  /** Part of header names: `Service` gives `X-Service-OTP`. */
  readonly headerWord: string;
  readonly otp: "none" | "app" | "sms";
  /** Null for the default. */
  readonly grants: number | null;
  /** Including one for each grant. Null for the default. */
  readonly authorizations: number | null;
  readonly faults: readonly Fault[];
  /** The same seed affects the same requests. */
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the text messages, which the sandbox cannot send. */
  readonly onTextMessage: (code: string) => void;
  /** For tests: in place of random ones. */
  readonly credentials?: {
    readonly password: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  /** For tests: of the first authorization. */
  readonly firstId?: number;
  /** For tests: names that the header `Host` may have besides those of loopback. */
  readonly hosts?: readonly string[];
  /** For tests. */
  readonly lies?: Partial<Lies>;
  /** For tests: called after each change that was made. */
  readonly onWrite?: (write: Write) => void;
  /** For tests. */
  readonly onRequest?: RequestHook;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** The JSON that `sandbox start --json` prints. */
export type SandboxDescription = Sandbox["description"];

/** The most tokens in a description. */
const maxDescribed = 10_000;
const closeMs = 2000;

/** Throws a RangeError if there are fewer authorizations than grants, and the error of Node if the port cannot be used. */
export async function startSandbox(options: SandboxOptions) {
  const { operator: type, otp, now, headerWord } = options;
  const grants = options.grants ?? Math.min(3, options.authorizations ?? 3);
  const authorizations = options.authorizations ?? grants + 3;
  if (authorizations < grants)
    throw new RangeError(`${grants} grants need at least ${grants} authorizations, not ${authorizations}`);
  const seconds = (): number => Math.floor(now() / 1000);
  let onWrite: SandboxOptions["onWrite"];
  const store = createStore((write) => onWrite?.(write), options.firstId);
  const { password = randomBytes(24).toString("base64url"), ...client } = options.credentials ?? {};
  const account = { id: 1, login: "octavia", password };
  const totpSecret = new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;
  const tokens = seed(store, { type, grants, authorizations, at: seconds(), client });
  ({ onWrite } = options);

  // Listens before there is a service, because the service's URLs have the port.
  let service: ReturnType<typeof createService> | null = null;
  const server = await new Promise<Server>((resolve, reject) => {
    const started = serve(
      {
        fetch: (request, env) => service?.fetch(request, env) ?? new Response(null, { status: 503 }),
        port: options.port,
        hostname: "127.0.0.1",
        overrideGlobalObjects: false,
      },
      () => resolve(started as Server),
    );
    started.once("error", reject);
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = createService({
    type,
    isGithub: type === "github" || type === "github.com",
    store,
    account,
    codes: createCodes(otp, totpSecret, now, options.onTextMessage),
    baseUrl,
    headerWord,
    hosts: options.hosts ?? [],
    seconds,
    startedAt: seconds(),
    makeToken: (kind) => makeToken(type, kind),
    faults: createFaults(options.faults, options.seed),
    lies: { hides: () => false, keeps: () => false, ...options.lies },
    onRequest: options.onRequest ?? null,
  });
  const [first] = store.applications;
  const description = {
    base_url: baseUrl,
    username: account.login,
    password: account.password,
    otp,
    /** Base32, for SHA-1, six digits and 30 seconds. */
    totp_secret: otp === "app" ? totpSecret : null,
    client_id: first?.clientId ?? "",
    client_secret: first?.clientSecret ?? "",
    /** The first tokens of the first application. */
    tokens: tokens.slice(0, maxDescribed).map(({ token, value }) => ({
      id: token.id,
      token: value,
      token_last_eight: token.lastEight,
      scopes: token.scopes,
      fingerprint: token.fingerprint ?? "",
    })),
    organizations: organizations.map(({ id, login, enforcesSso }) => ({
      id,
      login,
      enforces_sso: enforcesSso,
    })),
  };
  /** Completes requests in flight, within a time limit. */
  async function close(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    const timeout = setTimeout(() => server.closeAllConnections(), closeMs);
    await closed;
    clearTimeout(timeout);
  }
  return { description, store, server, close };
}
