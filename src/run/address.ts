// One address of a service, and what a run can do there: which account or application it acts as, and the services
// that are open to it. The one place that joins http and credentials: neither module imports the other.
import { hints } from "../errors/hints.ts";
import type { ServerMetadata } from "../api/authorization-server.ts";
import { missingToken } from "../credentials/account-credentials.ts";
import { usageFailure } from "../errors/errors.ts";
import { encodeBasic, encodeToken, type BasicCredentials } from "../http/authorization.ts";
import { parseOrigin, type Origin } from "../http/origin.ts";
import type { Service } from "../http/service.ts";
import { createConnections, hideBasic, hideClient, type Connections } from "./connections.ts";
import { createLogins, type Logins } from "./logins.ts";
import { once, type RunParts } from "./run-parts.ts";
import {
  checkAbility,
  hintForAccount,
  hintForApplication,
  isWithoutAccounts,
  noAccounts,
  reportsNoAccounts,
} from "./operator-hints.ts";

/** The account's service, and whose account it is. */
export interface AccountService {
  readonly service: Service;
  readonly username: string;
  /** True if the server required a one-time password of this run, other than one that was given with --otp. */
  readonly requiredCode: () => boolean;
}

/** An application's service, and the client ID that its paths need. */
export interface ApplicationService {
  readonly service: Service;
  readonly clientId: string;
}

/** An application's client ID and secret, for the account's operations that name an application. */
export interface ApplicationCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Address {
  /** The address, for messages; throws a usage failure when there is none. */
  origin(): Origin;
  /** True if this is the address that was written down as `href`. */
  isAt(href: string): boolean;
  readonly logins: Logins;
  readonly connections: Connections;
  /**
   * The service with the account's credentials and one-time passwords. `credentials` replaces the configured ones, to
   * test a login before it is stored.
   */
  accountService(credentials?: BasicCredentials): Promise<AccountService>;
  /** The service with this token in the `Authorization` header; without the header for null. */
  tokenService(token: string | null): Promise<Service>;
  /** The service with the configured token. Throws an authentication failure if there is none. */
  ownTokenService(): Promise<Service>;
  /**
   * The service for `grantctl api`: with the token, if there is one, otherwise with the account's credentials, or with
   * the application's where there are no accounts.
   */
  anyService(): Promise<Service>;
  /** The metadata of an OAuth 2.0 server, requested once and without credentials; null for a server without any. */
  metadata(): Promise<ServerMetadata | null>;
  /** True if this server has no operations for accounts: by its URL, or by its own response to a request. */
  lacksAccounts(): Promise<boolean>;
  applicationService(credentials?: ApplicationCredentials): Promise<ApplicationService>;
  /** The client ID and secret of an application, which some requests of the account have in their body. */
  applicationCredentials(clientId: string | null): Promise<ApplicationCredentials>;
  /** Ends connections and the keychain's helper; to be called once, at the end. */
  close(): Promise<void>;
}

/** The address at this base URL; without one, everything that needs it throws. Opens nothing yet. */
export function createAddress(baseUrl: string | undefined, run: RunParts): Address {
  const { operator, redactor } = run;
  const origin = once(() => originOf(baseUrl, run));
  const logins = createLogins(run, { origin, isKnown: baseUrl !== undefined });
  const connections = createConnections(run, {
    origin,
    isProfileForAddress: () => logins.isProfileForAddress(),
  });

  /** Throws a usage failure if there are no operations for accounts. */
  const checkAccounts = (): void => {
    checkAbility(operator, "accounts");
    if (isWithoutAccounts(operator, origin())) throw noAccounts(origin());
  };
  const connectAccount = async (credentials: BasicCredentials): Promise<AccountService> => {
    checkAccounts();
    const { username } = credentials;
    hideBasic(redactor, credentials);
    const passwords = await logins.oneTimePasswords(username);
    const given = passwords.current();
    return {
      username,
      requiredCode: () => ![null, given].includes(passwords.current()),
      service: await connections.connect(
        encodeBasic(credentials),
        passwords,
        hintForAccount(operator, origin(), () => connectToken(null)),
      ),
    };
  };
  const metadata = once(async () => {
    const { readMetadata } = await import("../api/authorization-server.ts");
    return readMetadata(await connections.connect(null, null, null), origin());
  });
  const connectApplication = async ({
    clientId,
    clientSecret,
  }: ApplicationCredentials): Promise<ApplicationService> => {
    const credentials = { username: clientId, password: clientSecret };
    if (operator.publishesMetadata) return { clientId, service: await connectClient(credentials) };
    hideBasic(redactor, credentials);
    const service = await connections.connect(encodeBasic(credentials), null, hintForApplication(operator));
    return { clientId, service };
  };
  /** The service of an OAuth 2.0 server, for one of its clients. */
  const connectClient = async (credentials: BasicCredentials): Promise<Service> => {
    hideClient(redactor, credentials);
    const { openClient } = await import("./oauth-client.ts");
    const more = openClient(run.settings, origin(), metadata, credentials);
    return connections.connect(null, null, null, more);
  };
  const connectToken = async (token: string | null): Promise<Service> => {
    if (token !== null) redactor.add(token);
    const authorization = token === null ? null : encodeToken(token, operator.tokenScheme);
    if (!operator.publishesMetadata || token === null) return connections.connect(authorization, null, null);
    const { openEndpoints } = await import("./oauth-client.ts");
    const endpoints = openEndpoints(run.settings, origin(), metadata);
    return connections.connect(authorization, null, null, { endpoints });
  };
  const configuredAccount = once(async () => {
    checkAccounts();
    // A keychain is slow, and so is loading undici: both at once.
    const [credentials] = await Promise.all([logins.account(), connections.prepare()]);
    return connectAccount(credentials);
  });
  const configuredApplication = once(async () => {
    const clientId = await logins.applicationClientId();
    const [clientSecret] = await Promise.all([logins.clientSecret(clientId), connections.prepare()]);
    return connectApplication({ clientId, clientSecret });
  });
  return {
    origin,
    isAt: (href) => baseUrl !== undefined && origin().href === href,
    logins,
    connections,
    metadata,
    accountService: (credentials) =>
      credentials === undefined ? configuredAccount() : connectAccount(credentials),
    tokenService: connectToken,
    async ownTokenService() {
      const token = await logins.token();
      if (token === null) throw missingToken();
      return connectToken(token);
    },
    async anyService() {
      const token = await logins.token();
      if (token !== null) return connectToken(token);
      if (operator.lacks.accounts !== undefined) return (await configuredApplication()).service;
      return (await configuredAccount()).service;
    },
    async lacksAccounts() {
      if (operator.lacks.accounts !== undefined) return true;
      return isWithoutAccounts(operator, origin()) || reportsNoAccounts(operator, () => connectToken(null));
    },
    applicationService: (credentials) =>
      credentials === undefined ? configuredApplication() : connectApplication(credentials),
    async applicationCredentials(wanted) {
      const clientId = wanted ?? (await logins.applicationClientId());
      const clientSecret = await logins.clientSecret(clientId);
      redactor.add(clientSecret);
      return { clientId, clientSecret };
    },
    async close() {
      await Promise.all([connections.close(), logins.close()]);
    },
  };
}

function originOf(baseUrl: string | undefined, { options, notices }: RunParts): Origin {
  if (baseUrl === undefined) {
    throw usageFailure("no base URL is configured", hints.noBaseUrl);
  }
  const parsed = parseOrigin(baseUrl, options.allowHttp === true);
  if (parsed.isInsecure)
    notices.warn(`unencrypted http: anyone on the network path to ${parsed.root} can read the credentials`);
  return parsed;
}
