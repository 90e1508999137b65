// One server URL of a run: the account or application that the run acts as there, and the services that it can use.
// Only here do credentials and connections come together.
import { readMetadata } from "../api/oauth-server.ts";
import type { Settings } from "../config/settings.ts";
import { createLogins, type Logins } from "../credentials/secrets.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import { encodeBasic, encodeToken, type Credentials } from "../http/authentication.ts";
import type { OneTimePasswords } from "../http/otp-layer.ts";
import { parseOrigin, type Origin } from "../http/urls.ts";
import type { Service } from "../http/service.ts";
import { checkNotOauth, isWithoutAccounts, noAccounts, type ServerType } from "../server-types.ts";
import { Connections } from "./connections.ts";
import type { RunParts } from "./context.ts";
import { openClient, openEndpoints } from "./oauth-client.ts";

export interface AccountService {
  readonly service: Service;
  readonly username: string;
}

export interface ApplicationService {
  readonly service: Service;
  readonly clientId: string;
}

/** The server of the settings' base URL. Opens nothing yet. Without a base URL, everything that needs it throws. */
export class ServerAccess {
  readonly serverType: ServerType;
  readonly logins: Logins;
  readonly connections: Connections;
  readonly #run: RunParts;

  constructor(run: RunParts) {
    const { serverType, settings } = run;
    this.#run = run;
    this.serverType = serverType;
    this.logins = createLogins(run, () => (settings.baseUrl === undefined ? "" : this.origin().href));
    this.connections = new Connections(run, this.origin);
  }

  /** The parsed base URL. Throws an authentication failure if none is configured. */
  readonly origin = memoised(() => parseConfiguredOrigin(this.#run.settings));

  /** The metadata of an OAuth 2.0 server, requested once and without credentials. */
  readonly metadata = memoised(async () => readMetadata(await this.connections.connect(), this.origin()));

  /** The service with the configured credentials of the account. Throws a usage failure if there are no accounts. */
  readonly accountService = memoised(async () => {
    // Before any question.
    this.checkAccounts();
    return this.accountServiceOf(await this.#configured("password"));
  });

  /** The service with the configured credentials of the application. */
  readonly applicationService = memoised(async () => {
    // Before any question.
    this.origin();
    return this.applicationServiceOf(await this.#configured("client-secret"));
  });

  async #configured(kind: "password" | "client-secret"): Promise<Credentials> {
    // In parallel, because the keychain and loading undici are both slow.
    const [credentials] = await Promise.all([this.logins.credentials(kind), import("../http/transport.ts")]);
    return credentials;
  }

  isAt(href: string): boolean {
    return this.#run.settings.baseUrl !== undefined && this.origin().href === href;
  }

  /** Throws a usage failure if there are no operations for accounts. */
  checkAccounts(): void {
    checkNotOauth(this.serverType);
    if (isWithoutAccounts(this.serverType, this.origin())) throw noAccounts(this.origin());
  }

  /** `accountService` with these credentials and one-time passwords, to test them; by default the configured passwords. */
  async accountServiceOf(
    credentials: Credentials,
    oneTimePasswords?: OneTimePasswords,
  ): Promise<AccountService> {
    this.checkAccounts();
    this.#run.redactor.addLogin(credentials);
    const service = await this.connections.connect({
      authorization: encodeBasic(credentials),
      oneTimePasswords: oneTimePasswords ?? this.logins.oneTimePasswords(credentials.name),
    });
    return { username: credentials.name, service };
  }

  /** `applicationService` with these credentials, to test them. */
  async applicationServiceOf(credentials: Credentials): Promise<ApplicationService> {
    this.#run.redactor.addLogin(credentials);
    const service = await this.connections.connect(
      this.serverType.isOauth
        ? openClient(this.#run.settings, this.origin(), this.metadata, credentials)
        : { authorization: encodeBasic(credentials) },
    );
    return { clientId: credentials.name, service };
  }

  /** The service with this token in the `Authorization` header; null to send no header. */
  async tokenService(token: string | null): Promise<Service> {
    if (token === null) return this.connections.connect();
    this.#run.redactor.add(token);
    if (!this.serverType.isOauth)
      return this.connections.connect({ authorization: encodeToken(token, "token") });
    return this.connections.connect({
      authorization: encodeToken(token, "Bearer"),
      endpoints: openEndpoints(this.#run.settings, this.origin(), this.metadata),
    });
  }
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
        if (isFailure(error, "rate-limited", "network") || (isFailure(error) && error.details.isTransient))
          made = null;
      });
    return value;
  };
}
