// What a run can do at one address: who it acts as there, and the services it reaches. The one place where http and
// credentials meet; they do not know each other.
import type { GlobalOptions } from "../config/global-options.ts";
import type { RunConfiguration } from "../config/run-configuration.ts";
import type { Settings } from "../config/settings.ts";
import { createConnections } from "./connections.ts";
import type { StandardInput } from "../credentials/standard-input.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../host/host.ts";
import { encodeToken } from "../http/authorization.ts";
import { encodeBasic, type BasicCredentials } from "../http/basic.ts";
import { parseOrigin, type Origin } from "../http/origin.ts";
import type { HttpAnswer } from "../http/request.ts";
import type { Service } from "../http/service.ts";
import type { Transport } from "../http/transport.ts";
import { createLogins, type Logins } from "./logins.ts";
import { once } from "./once.ts";
import type { Notices } from "../output/notices.ts";
import type { Redactor } from "../output/redact.ts";
import type { Prompter } from "../prompt/prompter.ts";

/** The account's service, and whose account it is. */
export interface AccountService {
  readonly service: Service;
  readonly username: string;
}

/** An application's service, and the client ID that its paths need. */
export interface ApplicationService {
  readonly service: Service;
  readonly clientId: string;
}

/** An application's own credentials, for operations of the account that are about it. */
export interface ApplicationCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a run can do at one address. */
export interface Addressed {
  /** The address, for messages; throws a usage failure when there is none. */
  origin(): Origin;
  readonly logins: Logins;
  /** A bare transport to the address, without credentials. */
  openTransport(): Promise<Transport>;
  /** What the service says to a request for the list of grants, as it is, with these credentials or none. */
  askBare(credentials: BasicCredentials | null): Promise<HttpAnswer>;
  /** The service with the account's credentials and one-time passwords; others than the run's are for proving them. */
  accountService(credentials?: BasicCredentials): Promise<AccountService>;
  /** The service with this token as authorization, or with none. */
  tokenService(token: string | null): Promise<Service>;
  /** The organizations that left something out of an answer until a token is approved; null where none did. */
  partialOrganizations(): readonly string[] | null;
  /** The service with the application's credentials. */
  applicationService(credentials?: ApplicationCredentials): Promise<ApplicationService>;
  /** Ends connections and the keychain's helper; to be called once, at the end. */
  close(): Promise<void>;
}

export interface AddressSurroundings {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly notices: Notices;
  /** Waits; where it takes long, a person is told why. */
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly redactor: Redactor;
  readonly standardInput: StandardInput;
  readonly prompter: Prompter;
  readonly configurationFolder: () => string;
}

/** What a run can do at this base URL, or where there is none. Opens nothing by itself. */
export function createAddressed(baseUrl: string | undefined, surroundings: AddressSurroundings): Addressed {
  const {
    host,
    options,
    configured,
    settings,
    notices,
    wait,
    redactor,
    standardInput,
    prompter,
    configurationFolder,
  } = surroundings;

  /** The password, and the two together as the header carries them. */
  const hideBasic = ({ username, password }: BasicCredentials): void => {
    redactor.add(password);
    redactor.add(`${username}:${password}`);
  };

  const origin = once(() => originOf(baseUrl, { options, notices }));
  const logins = createLogins({
    host,
    options,
    settings,
    profile: configured.profile,
    configuration: configured.configuration,
    folder: configurationFolder,
    standardInput,
    prompter,
    origin,
    hasAddress: baseUrl !== undefined,
    onTrouble: (message) => {
      notices.note(`${message}; until it is delivered, a token's value is kept unencrypted`);
    },
    onCode: (code) => {
      redactor.add(code);
    },
  });
  const connections = createConnections({
    host,
    options,
    settings,
    isProfileForAddress: () => logins.isProfileForAddress(),
    notices,
    wait,
    origin,
    hideBasic,
  });

  const connectAccount = async (credentials: BasicCredentials): Promise<AccountService> => {
    const { username } = credentials;
    hideBasic(credentials);
    const passwords = await logins.oneTimePasswords(username);
    const authorization = encodeBasic(credentials);
    return {
      username,
      service: await connections.connect(() => Promise.resolve(authorization), passwords),
    };
  };
  const connectApplication = async ({
    clientId,
    clientSecret,
  }: ApplicationCredentials): Promise<ApplicationService> => {
    const credentials = { username: clientId, password: clientSecret };
    hideBasic(credentials);
    const authorization = encodeBasic(credentials);
    return { clientId, service: await connections.connect(() => Promise.resolve(authorization), null) };
  };
  const connectToken = async (token: string | null): Promise<Service> => {
    if (token !== null) redactor.add(token);
    const authorization = token === null ? null : encodeToken(token);
    return connections.connect(() => Promise.resolve(authorization), null);
  };
  const configuredAccount = once(async () => {
    // A keychain takes its time, and so does loading what comes next.
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
    logins,
    openTransport: () => connections.openTransport(),
    askBare: (credentials) => connections.askBare(credentials),
    accountService: (credentials) =>
      credentials === undefined ? configuredAccount() : connectAccount(credentials),
    tokenService: connectToken,
    partialOrganizations: () => connections.partialOrganizations(),
    applicationService: (credentials) =>
      credentials === undefined ? configuredApplication() : connectApplication(credentials),
    async close() {
      await Promise.all([connections.close(), logins.close()]);
    },
  };
}

function originOf(
  baseUrl: string | undefined,
  { options, notices }: Pick<AddressSurroundings, "options" | "notices">,
): Origin {
  if (baseUrl === undefined) {
    throw usageFailure(
      "there is no service to talk to",
      "grantctl auth login; or set --base-url or GRANTCTL_BASE_URL; or try: grantctl sandbox run -- grantctl grant list",
    );
  }
  const parsed = parseOrigin(baseUrl, options.allowHttp === true);
  if (parsed.isInsecure)
    notices.warn(`plain http: everybody on the way to ${parsed.root} can read the credentials`);
  return parsed;
}
