// One server URL of a run: the account or application that the run acts as there, and the services that it can use.
// Only here do credentials and connections come together.
import { readMetadata } from "../api/authorization-server.ts";
import type { Settings } from "../config/settings.ts";
import { createLogins } from "../credentials/secrets.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import { encodeBasic, encodeToken, type BasicCredentials } from "../http/authorization.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import { parseOrigin, type Origin } from "../http/origin.ts";
import type { Service } from "../http/service.ts";
import { createConnections, type RunParts } from "./connections.ts";
import { openClient, openEndpoints } from "./oauth-client.ts";
import { checkNotOauth, isWithoutAccounts, noAccounts } from "../server-types.ts";

export interface AccountService {
  readonly service: Service;
  readonly username: string;
}

export interface ApplicationService {
  readonly service: Service;
  readonly clientId: string;
}

/** An application's client ID and secret, for the account's operations that name an application. */
export interface ApplicationCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ServerAccess = ReturnType<typeof createServerAccess>;

/** The server of the settings' base URL. Opens nothing yet. Without a base URL, everything that needs it throws. */
export function createServerAccess(run: RunParts) {
  const { serverType, redactor, settings } = run;
  const origin = memoised(() => parseConfiguredOrigin(settings));
  const logins = createLogins(run, () => (settings.baseUrl === undefined ? "" : origin().href));
  const connections = createConnections(run, origin);

  /** Throws a usage failure if there are no operations for accounts. */
  const checkAccounts = (): void => {
    checkNotOauth(serverType);
    if (isWithoutAccounts(serverType, origin())) throw noAccounts(origin());
  };
  const connectAccount = async (
    credentials: BasicCredentials,
    oneTimePasswords = logins.oneTimePasswords(credentials.username),
  ): Promise<AccountService> => {
    checkAccounts();
    redactor.addLogin(credentials);
    const authorization = encodeBasic(credentials);
    const service = await connections.connect({ authorization, oneTimePasswords });
    return { username: credentials.username, service };
  };
  /** The metadata of an OAuth 2.0 server, requested once and without credentials. */
  const metadata = memoised(async () => readMetadata(await connections.connect(), origin()));
  const connectApplication = async ({
    clientId,
    clientSecret,
  }: ApplicationCredentials): Promise<ApplicationService> => {
    const credentials = { username: clientId, password: clientSecret };
    redactor.addLogin(credentials);
    if (!serverType.isOauth)
      return { clientId, service: await connections.connect({ authorization: encodeBasic(credentials) }) };
    const client = openClient(settings, origin(), metadata, credentials);
    return { clientId, service: await connections.connect(client) };
  };
  const connectToken = async (token: string | null): Promise<Service> => {
    if (token !== null) redactor.add(token);
    const authorization = token === null ? null : encodeToken(token, serverType.isOauth ? "Bearer" : "token");
    if (!serverType.isOauth || token === null) return connections.connect({ authorization });
    const endpoints = openEndpoints(settings, origin(), metadata);
    return connections.connect({ authorization, endpoints });
  };
  const configuredAccount = memoised(async () => {
    checkAccounts();
    // Run in parallel, because the keychain and loading undici are both slow.
    const [credentials] = await Promise.all([logins.account(), connections.prepare()]);
    return connectAccount(credentials);
  });
  const configuredApplication = memoised(async () => {
    // Before any question.
    origin();
    const clientId = await logins.clientId();
    const [clientSecret] = await Promise.all([logins.clientSecret(clientId), connections.prepare()]);
    return connectApplication({ clientId, clientSecret });
  });
  return {
    serverType,
    /** The parsed base URL. Throws an authentication failure if none is configured. */
    origin,
    /** True if `href` is the base URL of this server. */
    isAt: (href: string): boolean => settings.baseUrl !== undefined && origin().href === href,
    logins,
    connections,
    metadata,
    checkAccounts,
    /**
     * The service with the account's credentials and one-time passwords. Those that are given, to test them, override the
     * configured ones.
     */
    accountService: (
      credentials?: BasicCredentials,
      oneTimePasswords?: OneTimePasswords,
    ): Promise<AccountService> =>
      credentials === undefined ? configuredAccount() : connectAccount(credentials, oneTimePasswords),
    /** The service with this token in the `Authorization` header; null to send no header. */
    tokenService: connectToken,
    /** The service with the configured token. Throws an authentication failure if there is none. */
    ownTokenService: async (): Promise<Service> => connectToken(await logins.token()),
    /**
     * The service for `grantctl api`: with the token if there is one, otherwise with the account's credentials, or with
     * those of the application if the server type has no accounts.
     */
    async anyService(): Promise<Service> {
      if (logins.hasToken()) return connectToken(await logins.token());
      if (serverType.isOauth) return (await configuredApplication()).service;
      return (await configuredAccount()).service;
    },
    applicationService: (credentials?: ApplicationCredentials): Promise<ApplicationService> =>
      credentials === undefined ? configuredApplication() : connectApplication(credentials),
    /** An application's client ID and secret, for the body of some account requests; null for the configured one. */
    async applicationCredentials(wanted: string | null): Promise<ApplicationCredentials> {
      const clientId = wanted ?? (await logins.clientId());
      const clientSecret = await logins.clientSecret(clientId);
      redactor.addSecret(clientSecret);
      return { clientId, clientSecret };
    },
    /** Closes connections. Call once, at the end. */
    close: () => connections.close(),
  };
}

function parseConfiguredOrigin({ baseUrl, allowHttp }: Settings): Origin {
  if (baseUrl === undefined)
    throw new Failure("authentication", "not logged in: no base URL is set", {
      hint: "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL. To try grantctl, run `grantctl sandbox run -- grantctl grant list`.",
    });
  return parseOrigin(baseUrl.value, allowHttp?.value === "true");
}

/** Memoises `make`; after a throw, or a failure that may pass, the next call tries again. */
export function memoised<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    if (made !== null) return made.value;
    const value = make();
    made = { value };
    if (value instanceof Promise)
      value.catch((error: unknown) => {
        if (isFailure(error, "rate-limited", "network")) made = null;
      });
    return value;
  };
}
