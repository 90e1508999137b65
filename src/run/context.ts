// The dependencies of a command: printer, records, prompts and server, created from the host and the flags. Services
// are made in server-access.ts.
import { mayColour, outputSettings, type GlobalOptions } from "../config/global-options.ts";
import { stateFolder, trustOf } from "../config/folders.ts";
import type { RunConfiguration } from "../config/profiles.ts";
import { checkClientId, isSwitchedOn, serverTypeOf, resolveSettings } from "../config/settings.ts";
import type { Settings } from "../config/settings.ts";
import { createStandardInput } from "../credentials/standard-input.ts";
import { usageFailure } from "../errors/errors.ts";
import { headerForm } from "../http/headers.ts";
import type { Paging } from "../http/pages.ts";
import { createLimitWaits } from "../http/waiting.ts";
import { warningsAbout, type Trust } from "../system/trusted.ts";
import type { Host } from "../system/host.ts";
import type { Records } from "../jobs/journal.ts";
import { createNotices, noticeStyle, type Notices } from "../output/notices.ts";
import { createOutputStream } from "../output/output-stream.ts";
import { createProgress, type Progress } from "../output/progress.ts";
import { createPrinter } from "../output/printer.ts";
import type { Redactor } from "../redaction.ts";
import { cancelled, createPrompter } from "../prompt/prompter.ts";
import { ServerAccess } from "./server-access.ts";
import { createPaged } from "./pager.ts";

/** Settings whose value is a secret; others, such as `client_secret_command`, only name a source. */
const secretSettings = ["password", "clientSecret", "token", "otp"] as const;

/** Opens the records in a folder, which the run closes at its end. */
export type OpenRecords = (folder: string, trust: Trust) => Promise<Records>;

/** The parts from which the context of a run is made. */
export interface RunStart {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  /** Redacts the secrets that were added to it, in everything but results. */
  readonly redactor: Redactor;
  readonly openRecords: OpenRecords;
}

/** The objects that all parts of a run share. */
export type RunParts = ReturnType<typeof createRunParts>;

export type Context = ReturnType<typeof createContext>;

/** Opens nothing yet. `output`: the fields of `--json`, and the program of `--jq`. `isPaged`: a pager may be opened. */
export function createContext(
  start: RunStart,
  output: Pick<Parameters<typeof createPrinter>[0], "fields" | "jq">,
  isPaged: boolean,
) {
  const { host, options } = start;
  const timers = createTimers(host);
  const { progress, notices, stdout, paged } = openStreams(start, isPaged, timers.sleep);
  const run = createRunParts(start, progress, notices);
  const { prompter, serverType } = run;
  const server = new ServerAccess(run);
  const others: ServerAccess[] = [];
  let records: Promise<Records> | null = null;
  return {
    ...run,
    server,
    /** A server other than the configured one, optionally with another server type. */
    serverAt(baseUrl: string, type = serverType): ServerAccess {
      const flags = type === serverType ? { baseUrl } : { baseUrl, serverType: type.name };
      const other = new ServerAccess({ ...run, serverType: type, settings: settingsOf(start, flags) });
      others.push(other);
      return other;
    },
    stdout,
    printer: createPrinter({
      stdout,
      note: (line): void => notices.note(line),
      ...outputSettings(options, host.environment, stdout.isTerminal),
      ...output,
    }),
    /** How a list is read, with progress; a whole list without a limit. */
    paging: (limit: number | null = null): Paging => ({
      limit,
      concurrency: options.concurrency,
      onPage: progress.watchPages(),
    }),
    /** The folder of the records, which may not exist. Throws a usage failure if its path is not absolute. */
    stateFolder: () => stateFolder(host),
    records: (): Promise<Records> => (records ??= start.openRecords(stateFolder(host), trustOf(host))),
    /** Throws a usage failure if `confirm` would have to prompt and there is no terminal. */
    async checkCanConfirm(): Promise<void> {
      if (options.yes !== true) await prompter.check(cannotConfirm);
    },
    /**
     * Prompts for confirmation before a change, unless --yes is set. Throws if the user declines, or a usage failure if
     * there is no terminal to prompt on. With `count`, the user must type it.
     */
    async confirm(question: string, count?: number): Promise<void> {
      if (options.yes !== true && !(await prompter.confirm(question, cannotConfirm, count)))
        throw cancelled();
    },
    /** Closes everything that was opened. Call once, at the end. */
    async close(): Promise<void> {
      progress.end();
      await paged?.close();
      timers.clear();
      await (await records?.catch(() => null))?.close();
      await Promise.all([server, ...others].map((one) => one.connections.close()));
    },
  };
}

/** Standard output, notices and progress, which share the terminal with each other and the pager. */
function openStreams({ host, options, redactor }: RunStart, isPaged: boolean, sleep: Progress["wait"]) {
  const stderr = createOutputStream(host.stderr);
  const progress = createProgress({
    stderr,
    isWanted: options.quiet !== true && host.environment["TERM"] !== "dumb" && !host.stdout.isPipe,
    note: (text): void => notices.note(text),
    sleep,
    host,
  });
  const notices = createNotices(progress.above(stderr), noticeStyle(options, host, redactor));
  const paged = isPaged ? createPaged(host, (work) => void progress.alone(work)) : null;
  const stdout = progress.above(paged?.stdout ?? createOutputStream(host.stdout));
  return { progress, notices, stdout, paged };
}

/** Throws a usage failure for a wrong setting. Warns of folders that are trusted only because they are named. */
function createRunParts(start: RunStart, progress: Progress, notices: Notices) {
  const { host, options, redactor } = start;
  const settings = settingsOf(start);
  for (const name of secretSettings) redactor.addSecret(settings[name]?.value ?? "");
  // A header may be the key of a gateway.
  for (const line of settings.headers?.value.split("\n") ?? [])
    redactor.addSecret(headerForm.exec(line)?.[2]?.trim() ?? "");
  if (options.clientId !== undefined) checkClientId(options.clientId, settings);
  for (const warning of warningsAbout(trustOf(host))) notices.warn(warning);
  return {
    ...start,
    settings,
    serverType: serverTypeOf(settings),
    notices,
    /** Shows the progress of long work, on a terminal, unless --quiet. */
    progress,
    waits: createLimitWaits(progress.wait),
    standardInput: createStandardInput(host.stdin),
    /** Prompts on the controlling terminal; every prompt fails with --no-input. */
    prompter: createPrompter({
      canPrompt: options.input && !isSwitchedOn(host.environment["GRANTCTL_NO_INPUT"]),
      // Prompts use the terminal, whatever standard output is.
      hasColours: options.color && mayColour(host.environment, true),
      openTerminal: () => host.openTerminal(),
      alone: (ask) => progress.alone(ask),
    }),
  };
}

/** The settings with these flags in place of those of the run. */
function settingsOf({ host, options, configured }: RunStart, flags: Partial<GlobalOptions> = {}): Settings {
  return resolveSettings({
    options: { ...options, ...flags },
    environment: host.environment,
    profile: configured.profile.values,
  });
}

/** The waits of a run. After `clear`, the promises of pending ones never resolve: nothing is sent after the run. */
function createTimers(host: Host) {
  const cancels = new Set<() => void>();
  return {
    sleep: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const cancel = host.setTimer(milliseconds, () => {
          cancels.delete(cancel);
          resolve();
        });
        cancels.add(cancel);
      }),
    clear(): void {
      for (const cancel of cancels) cancel();
    },
  };
}

function cannotConfirm(why: string): Error {
  return usageFailure(`confirmation required: ${why}, and --yes was not given`, "Add --yes.");
}
