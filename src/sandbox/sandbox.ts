// Starts the sandbox on loopback, and describes it. Everything is in memory and gone when it stops.
import { createAdaptorServer } from "@hono/node-server";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "otpauth";
import { createCodes } from "./auth.ts";
import { createFaults, type Fault } from "./faults.ts";
import { organizations, seed } from "./seed.ts";
import { createApp, type RequestHook, type SimulatedType } from "./service.ts";
import { createStore } from "./store.ts";

export interface SandboxOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly serverType: SimulatedType;
  /** Part of header names: `Service` gives `X-Service-OTP`. */
  readonly headerWord: string;
  readonly otp: "none" | "app" | "sms";
  readonly grants?: number | undefined;
  /** Including one for each grant. */
  readonly authorizations?: number | undefined;
  readonly faults: readonly Fault[];
  /** The same seed affects the same requests. */
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the text messages, which the sandbox cannot send. */
  readonly onTextMessage: (code: string) => void;
  /** For tests: in place of random ones. */
  readonly credentials?: Readonly<Record<"password" | "clientId" | "clientSecret", string>>;
  /** For tests: of the first authorization. */
  readonly firstId?: number;
  readonly onRequest?: RequestHook;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Throws a RangeError if there are fewer authorizations than grants, and the error of Node if the port cannot be used. */
export async function startSandbox(options: SandboxOptions) {
  const { serverType: type, otp } = options;
  const seconds = (): number => Math.floor(options.now() / 1000);
  const password = options.credentials?.password ?? randomBytes(24).toString("base64url");
  const account = { id: 1, login: "octavia", password };
  const totpSecret = new Secret({ buffer: new Uint8Array(randomBytes(20)).buffer }).base32;
  const store = createStore(seconds, options.firstId ?? 1);
  const tokens = seed(store, options);

  // Listens before there is a service, because the service's URLs have the port.
  const server = createAdaptorServer({
    fetch: (request, env) => service.fetch(request, env),
    hostname: "127.0.0.1",
    overrideGlobalObjects: false,
  }) as Server;
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service = createApp({
    ...options,
    isGithub: type.startsWith("github"),
    store,
    account,
    codes: createCodes(options, totpSecret),
    baseUrl,
    seconds,
    drawFaults: createFaults(options.faults, options.seed),
  });
  const [first] = store.applications;
  /** The JSON that `sandbox start --json` prints. */
  const description = {
    base_url: baseUrl,
    username: account.login,
    password,
    otp,
    /** Base32, for SHA-1, six digits and 30 seconds. */
    totp_secret: otp === "app" ? totpSecret : null,
    client_id: first?.clientId ?? "",
    client_secret: first?.clientSecret ?? "",
    tokens: tokens.map(([token, value]) => ({
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
  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
  return { description, store, server, close };
}
