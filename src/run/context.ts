// The wiring: what a command may ask for, made from the host and the flags when it is first asked for. What needs an
// address is in address.ts.
import { setInterval, clearInterval } from "node:timers";
import { createAddressed, type Addressed, type ApplicationCredentials } from "./address.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import { outputSettings } from "../config/output-settings.ts";
import { configurationFolder, fileStorePath, stateFolder } from "../config/folders.ts";
import type { RunConfiguration } from "../config/run-configuration.ts";
import { checkClientId, isSwitchedOn, resolveSettings, type Settings } from "../config/settings.ts";
import { createStandardInput, type StandardInput } from "../credentials/standard-input.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Host } from "../host/host.ts";
import type { Journals } from "../journal/journals.ts";
import type { Jq } from "../output/jq.ts";
import { createNotices, type Notices } from "../output/notices.ts";
import { createOutputStream, type OutputStream } from "../output/output-stream.ts";
import { createProgress, type Progress } from "../output/progress.ts";
import { createStatusLine } from "../output/status-line.ts";
import { createPrinter, type Printer } from "../output/printer.ts";
import type { Redactor } from "../output/redact.ts";
import { sanitise } from "../output/sanitise.ts";
import { once } from "./once.ts";
import { createLazyPrompter } from "../prompt/lazy-prompter.ts";
import type { Choices } from "../prompt/prompter.ts";

/** Settings that hold a secret as it is. */
const secretSettings = ["password", "clientSecret", "token", "otp"] as const;

export interface Context extends Addressed {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly stdout: OutputStream;
  readonly printer: Printer;
  readonly notices: Notices;
  /** How far long work is; shown on a terminal, unless --quiet. */
  readonly progress: Progress;
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
  /** Resolves where somebody can be asked on the controlling terminal, and asks nothing; throws otherwise. */
  checkCanAsk(orElse: () => Error): Promise<void>;
  /** Asks for rows of a list; resolves with their positions, at least one, or with null for no answer. */
  pick(question: string, choices: Choices, orElse: () => Error): Promise<readonly number[] | null>;
  /**
   * Asks before something is changed; `cancelled` is what the answer no means. Throws a usage failure when the answer is no, or when nobody can be asked and
   * --yes was not given.
   */
  confirm(question: string, cancelled?: string): Promise<void>;
}

/** The context of one run. Opens nothing by itself. */
export function createContext(
  host: Host,
  options: GlobalOptions,
  configured: RunConfiguration,
  redactor: Redactor,
  jq: Jq | null = null,
): Context {
  const plainStderr = createOutputStream(host.stderr);
  const line = createStatusLine({
    stderr: plainStderr,
    isWanted: options.quiet !== true && host.environment["TERM"] !== "dumb",
    beforeSignalEnds: (handle) => host.beforeSignalEnds(handle),
  });
  /** What still waits at the end of the run waits for ever: it would only be sent for nobody. */
  const waits = new Set<NodeJS.Timeout>();
  const progress = createProgress({
    line,
    now: () => host.now(),
    // Node's own promise of a timer is one more module to load.
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          waits.delete(timer);
          resolve();
        }, milliseconds);
        waits.add(timer);
      }),
    every(milliseconds, draw) {
      const timer = setInterval(draw, milliseconds).unref();
      return () => {
        clearInterval(timer);
      };
    },
  });
  const stdout = line.above(createOutputStream(host.stdout));
  const notices = createNotices(line.above(plainStderr), {
    isQuiet: options.quiet === true,
    isDebug: options.debug === true || isSwitchedOn(host.environment["GRANTCTL_DEBUG"]),
    redact: (text) => redactor.redact(text),
  });
  const { profile } = configured;
  const settings = resolveSettings({ options, environment: host.environment, profile: profile.values });
  for (const name of secretSettings) redactor.add(settings[name]?.value ?? "");
  if (options.clientId !== undefined) checkClientId(options.clientId);
  const standardInput = createStandardInput(host.stdin);
  const prompter = createLazyPrompter({
    mayAsk: options.input && !isSwitchedOn(host.environment["GRANTCTL_NO_INPUT"]),
    openTerminal: () => host.openTerminal(),
    sanitise,
    alone: (ask) => line.alone(ask),
  });
  const folders = { environment: host.environment, platform: host.platform };
  const addressed: Addressed[] = [];

  const at = (baseUrl: string | undefined): Addressed => {
    const made = createAddressed(baseUrl, {
      host,
      options,
      configured,
      settings,
      notices,
      wait: (milliseconds) => progress.wait(milliseconds),
      redactor,
      standardInput,
      prompter,
      configurationFolder: () => context.configurationFolder(),
    });
    addressed.push(made);
    return made;
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
      now: () => host.now(),
      isDiscarded: () => host.stdout.isDiscarded,
    }),
    notices,
    progress,
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
      const { createJournals } = await import("../journal/journals.ts");
      const findVault = once(async () => {
        const key = await configuredAddress.logins.journalKey();
        return key === null ? null : (await import("../journal/vault.ts")).createVault(key);
      });
      return createJournals(context.stateFolder(), host.processes, findVault);
    }),
    hide: (secret) => {
      redactor.add(secret);
    },
    askText: (question, orElse) => prompter.askText(question, orElse),
    askSecret: (question, orElse) => prompter.askSecret(question, orElse),
    checkCanAsk: (orElse) => prompter.check(orElse),
    pick: (question, choices, orElse) => prompter.pick(question, choices, orElse),
    async confirm(question, cancelled = "nothing was sent") {
      if (options.yes === true) return;
      if (!(await prompter.confirm(question, cannotConfirm))) throw usageFailure(`cancelled: ${cancelled}`);
    },
    async close() {
      progress.end();
      for (const timer of waits) clearTimeout(timer);
      await Promise.all(addressed.map((address) => address.close()));
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
