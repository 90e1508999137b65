// The wiring: what a command may ask for, made from the host and the flags when it is first asked for. The one
// place where http, credentials, output and prompts meet; they do not know each other.
import type { GlobalOptions } from "./config/global-options.ts";
import { createConnections } from "./connections.ts";
import { outputSettings } from "./config/output-settings.ts";
import { stateFolder } from "./config/folders.ts";
import { checkClientId, resolveSettings } from "./config/settings.ts";
import {
  accountCredentials,
  applicationClientId,
  applicationClientSecret,
  type CredentialSources,
} from "./credentials/basic-credentials.ts";
import { oneTimePasswordSources } from "./credentials/one-time-password-sources.ts";
import { createOneTimePasswords } from "./credentials/one-time-passwords.ts";
import { createStandardInput, type StandardInput } from "./credentials/standard-input.ts";
import { usageFailure } from "./errors/errors.ts";
import type { Host } from "./host.ts";
import type { BasicCredentials } from "./http/basic.ts";
import type { OneTimePasswords } from "./http/one-time-password.ts";
import { parseOrigin, type Origin } from "./http/origin.ts";
import type { Service } from "./http/service.ts";
import type { Transport } from "./http/transport.ts";
import type { Journals } from "./journal/journals.ts";
import { createNotices, type Notices } from "./output/notices.ts";
import { createOutputStream, type OutputStream } from "./output/output-stream.ts";
import { createProgress, type Progress } from "./output/progress.ts";
import { createPrinter, type Printer } from "./output/printer.ts";
import type { Redactor } from "./output/redact.ts";
import { sanitise } from "./output/sanitise.ts";
import { createLazyPrompter } from "./prompt/lazy-prompter.ts";

/** Settings that hold a secret as it is. */
const secretSettings = ["password", "clientSecret", "otp"] as const;

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

export interface Context {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly stdout: OutputStream;
  readonly printer: Printer;
  readonly notices: Notices;
  /** A progress line for many items; shown only on a terminal that results are not drawn on. */
  startProgress(total: number): Progress;
  readonly standardInput: StandardInput;
  /** The configured address, for messages; throws a usage failure when there is none. */
  origin(): Origin;
  /** A bare transport to the configured address, without credentials. */
  openTransport(): Promise<Transport>;
  /** The service with the account's credentials and one-time passwords. */
  accountService(): Promise<AccountService>;
  /** The service with the application's credentials. */
  applicationService(): Promise<ApplicationService>;
  /** The client ID and secret of an application, for a body of the account's own request. */
  applicationCredentials(clientId: string | null): Promise<ApplicationCredentials>;
  /** Where journals are; it may not exist. Throws a usage failure for a path that is not absolute. */
  stateFolder(): string;
  /** Whether this run talks to the service at this base URL. */
  isConfiguredFor(address: string): boolean;
  /** What must survive a crash, of this run and of earlier ones. */
  journals(): Promise<Journals>;
  /** From now on this value is kept out of everything but results. */
  hide(secret: string): void;
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
export function createContext(host: Host, options: GlobalOptions, redactor: Redactor): Context {
  const stdout = createOutputStream(host.stdout);
  const stderr = createOutputStream(host.stderr);
  const notices = createNotices(stderr, {
    isQuiet: options.quiet === true,
    isDebug: options.debug === true || host.environment["GRANTCTL_DEBUG"] !== undefined,
    redact: (text) => redactor.redact(text),
  });
  const settings = resolveSettings(options, host.environment);
  for (const name of secretSettings) redactor.add(settings[name]?.value ?? "");
  if (options.clientId !== undefined) checkClientId(options.clientId);
  const standardInput = createStandardInput(host.stdin);
  const prompter = createLazyPrompter({
    mayAsk: options.input && host.environment["GRANTCTL_NO_INPUT"] === undefined,
    openTerminal: () => host.openTerminal(),
    sanitise,
  });
  const origin = once((): Origin => {
    if (settings.baseUrl === undefined) {
      throw usageFailure(
        "there is no service to talk to",
        "set --base-url or GRANTCTL_BASE_URL, or try: grantctl sandbox run -- grantctl grant list",
      );
    }
    const parsed = parseOrigin(settings.baseUrl.value, options.allowHttp === true);
    if (parsed.isInsecure)
      notices.warn(`plain http: everybody on the way to ${parsed.root} can read the credentials`);
    return parsed;
  });

  const sources = once((): CredentialSources => ({
    settings,
    passwordFromStandardInput: options.passwordStdin === true,
    clientSecretFromStandardInput: options.clientSecretStdin === true,
    standardInput,
    prompter,
    address: origin().href,
  }));

  const journalsFolder = (): string => {
    const { environment, platform, machine } = host;
    return stateFolder({ environment, platform, homeFolder: machine.homeFolder });
  };

  /** The password, and the two together as the header carries them. */
  const hideBasic = ({ username, password }: BasicCredentials): void => {
    redactor.add(password);
    redactor.add(`${username}:${password}`);
  };

  const connections = createConnections({ host, options, settings, notices, origin, hideBasic });

  const oneTimePasswords = async (username: string): Promise<OneTimePasswords> =>
    createOneTimePasswords(
      await oneTimePasswordSources({
        settings,
        prompter,
        onCode: (code) => {
          redactor.add(code);
        },
        childEnvironment: host.childEnvironment,
        username,
        address: origin().href,
      }),
    );

  return {
    host,
    options,
    stdout,
    printer: createPrinter({
      stdout,
      ...outputSettings(options, host.environment, stdout.isTerminal),
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
    origin,
    openTransport: () => connections.openTransport(),
    accountService: once(async () => {
      const credentials = await accountCredentials(sources());
      const { username } = credentials;
      hideBasic(credentials);
      const passwords = await oneTimePasswords(username);
      return { username, service: await connections.connect(() => Promise.resolve(credentials), passwords) };
    }),
    applicationService: once(async () => {
      const clientId = await applicationClientId(sources());
      const password = await applicationClientSecret(sources(), clientId);
      hideBasic({ username: clientId, password });
      const service = await connections.connect(
        () => Promise.resolve({ username: clientId, password }),
        null,
      );
      return { service, clientId };
    }),
    async applicationCredentials(wanted) {
      const clientId = wanted ?? (await applicationClientId(sources()));
      const clientSecret = await applicationClientSecret(sources(), clientId);
      redactor.add(clientSecret);
      return { clientId, clientSecret };
    },
    isConfiguredFor: (address) => settings.baseUrl !== undefined && origin().href === address,
    stateFolder: journalsFolder,
    journals: once(async () => {
      const { createJournals } = await import("./journal/journals.ts");
      return createJournals(journalsFolder(), host.processes);
    }),
    hide: (secret) => {
      redactor.add(secret);
    },
    askSecret: (question, orElse) => prompter.askSecret(question, orElse),
    async confirm(question) {
      if (options.yes === true) return;
      if (!(await prompter.confirm(question, cannotConfirm)))
        throw usageFailure("cancelled: nothing was sent");
    },
    close: () => connections.close(),
  };
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
