// The wiring: what a command may ask for, made from the host and the flags when it is first asked for. The one
// place where http, credentials, output and prompts meet; they do not know each other.
import type { GlobalOptions } from "./config/global-options.ts";
import { createConnections } from "./connections.ts";
import { outputSettings } from "./config/output-settings.ts";
import { configurationFolder, fileStorePath, stateFolder } from "./config/folders.ts";
import type { RunConfiguration } from "./config/run-configuration.ts";
import { checkClientId, isSwitchedOn, resolveSettings, type Settings } from "./config/settings.ts";
import { createStandardInput, type StandardInput } from "./credentials/standard-input.ts";
import { usageFailure } from "./errors/errors.ts";
import type { Host } from "./host.ts";
import { encodeToken } from "./http/authorization.ts";
import { encodeBasic, type BasicCredentials } from "./http/basic.ts";
import { parseOrigin, type Origin } from "./http/origin.ts";
import type { HttpAnswer } from "./http/request.ts";
import type { Service } from "./http/service.ts";
import type { Transport } from "./http/transport.ts";
import type { Journals } from "./journal/journals.ts";
import { createLogins, type Logins } from "./logins.ts";
import type { Jq } from "./output/jq.ts";
import { createNotices, type Notices } from "./output/notices.ts";
import { createOutputStream, type OutputStream } from "./output/output-stream.ts";
import { createProgress, type Progress } from "./output/progress.ts";
import { createPrinter, type Printer } from "./output/printer.ts";
import type { Redactor } from "./output/redact.ts";
import { sanitise } from "./output/sanitise.ts";
import { createLazyPrompter } from "./prompt/lazy-prompter.ts";

/** Settings that hold a secret as it is. */
const secretSettings = ["password", "clientSecret", "token", "otp"] as const;

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
}

export interface Context extends Addressed {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly stdout: OutputStream;
  readonly printer: Printer;
  readonly notices: Notices;
  /** A progress line for many items; shown only on a terminal that results are not drawn on. */
  startProgress(total: number): Progress;
  readonly standardInput: StandardInput;
  /** The same run at another address than the configured one. */
  at(baseUrl: string): Addressed;
  /** The client ID and secret of an application, for a body of the account's own request. */
  applicationCredentials(clientId: string | null): Promise<ApplicationCredentials>;
  /** Where the configuration is; it may not exist. Throws a usage failure for a path that is not absolute. */
  configurationFolder(): string;
  /** Where secrets are that were stored in a file; it may not exist. */
  fileStorePath(): string;
  /** Where journals are; it may not exist. Throws a usage failure for a path that is not absolute. */
  stateFolder(): string;
  /** Whether this run talks to the service at this base URL. */
  isConfiguredFor(address: string): boolean;
  /** What must survive a crash, of this run and of earlier ones. */
  journals(): Promise<Journals>;
  /** From now on this value is kept out of everything but results. */
  hide(secret: string): void;
  /** Asks for a line of text on the controlling terminal. */
  askText(question: string, orElse: () => Error): Promise<string>;
  /** Asks for a secret on the controlling terminal. */
  askSecret(question: string, orElse: () => Error): Promise<string>;
  /**
   * Asks before something is changed. Throws a usage failure when the answer is no, or when nobody can be asked and
   * --yes was not given.
   */
  confirm(question: string): Promise<void>;
  /** Ends connections; to be called once, at the end. */
  close(): Promise<void>;
}

/** The context of one run. Opens nothing by itself. */
export function createContext(
  host: Host,
  options: GlobalOptions,
  configured: RunConfiguration,
  redactor: Redactor,
  jq: Jq | null = null,
): Context {
  const stdout = createOutputStream(host.stdout);
  const stderr = createOutputStream(host.stderr);
  const notices = createNotices(stderr, {
    isQuiet: options.quiet === true,
    isDebug: options.debug === true || isSwitchedOn(host.environment["GRANTCTL_DEBUG"]),
    redact: (text) => redactor.redact(text),
  });
  const { configuration, profile } = configured;
  const settings = resolveSettings({ options, environment: host.environment, profile: profile.values });
  for (const name of secretSettings) redactor.add(settings[name]?.value ?? "");
  if (options.clientId !== undefined) checkClientId(options.clientId);
  const standardInput = createStandardInput(host.stdin);
  const prompter = createLazyPrompter({
    mayAsk: options.input && !isSwitchedOn(host.environment["GRANTCTL_NO_INPUT"]),
    openTerminal: () => host.openTerminal(),
    sanitise,
  });
  const folders = { environment: host.environment, platform: host.platform };
  const closers: (() => Promise<void>)[] = [];

  /** The password, and the two together as the header carries them. */
  const hideBasic = ({ username, password }: BasicCredentials): void => {
    redactor.add(password);
    redactor.add(`${username}:${password}`);
  };

  const at = (baseUrl: string | undefined): Addressed => {
    const origin = once(() => originOf(baseUrl));
    const logins = createLogins({
      host,
      options,
      settings,
      profile,
      configuration,
      folder: () => context.configurationFolder(),
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
      origin,
      hideBasic,
    });
    closers.push(
      () => connections.close(),
      () => logins.close(),
    );

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
    };
  };

  const originOf = (baseUrl: string | undefined): Origin => {
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
  };

  const configuredAddress = at(settings.baseUrl?.value);
  const context: Context = {
    ...configuredAddress,
    at,
    host,
    options,
    configured,
    settings,
    stdout,
    printer: createPrinter({
      stdout,
      ...outputSettings(options, host.environment, profile.values, stdout.isTerminal),
      jq,
      isDiscarded: () => host.stdout.isDiscarded,
    }),
    notices,
    startProgress: (total) =>
      createProgress({
        total,
        stderr,
        isShown: options.quiet !== true && !stdout.isTerminal,
        now: () => host.now(),
      }),
    standardInput,
    async applicationCredentials(wanted) {
      const clientId = wanted ?? (await configuredAddress.logins.applicationClientId());
      const clientSecret = await configuredAddress.logins.clientSecret(clientId);
      redactor.add(clientSecret);
      return { clientId, clientSecret };
    },
    isConfiguredFor: (address) =>
      settings.baseUrl !== undefined && configuredAddress.origin().href === address,
    configurationFolder: () => configurationFolder({ ...folders, homeFolder: host.machine.homeFolder }),
    fileStorePath: () => fileStorePath(context.configurationFolder()),
    stateFolder: () => stateFolder({ ...folders, homeFolder: host.machine.homeFolder }),
    journals: once(async () => {
      const { createJournals } = await import("./journal/journals.ts");
      const findVault = once(async () => {
        const key = await configuredAddress.logins.journalKey();
        return key === null ? null : (await import("./journal/vault.ts")).createVault(key);
      });
      return createJournals(context.stateFolder(), host.processes, findVault);
    }),
    hide: (secret) => {
      redactor.add(secret);
    },
    askText: (question, orElse) => prompter.askText(question, orElse),
    askSecret: (question, orElse) => prompter.askSecret(question, orElse),
    async confirm(question) {
      if (options.yes === true) return;
      if (!(await prompter.confirm(question, cannotConfirm)))
        throw usageFailure("cancelled: nothing was sent");
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
    },
  };
  return context;
}

function cannotConfirm(): Error {
  return usageFailure(
    "nobody can be asked to confirm this, and --yes was not given",
    "add --yes, or see what it would do with --dry-run",
  );
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
