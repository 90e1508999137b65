// Runs one command: reads the configuration, creates the context, announces leftovers of earlier runs, does the
// command's work and closes the context. Loaded after the command line has been parsed.
//
// The announcement is a single line about tokens and journals that need attention, shown at most once an hour.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Command, Option } from "commander";
import { stateFolder } from "../config/folders.ts";
import { usualFormats, type GlobalOptions } from "../config/global-options.ts";
import { readRunConfiguration, type ConfigurationUse } from "../config/run-configuration.ts";
import { usageFailure } from "../errors/errors.ts";
import { both, counted } from "../errors/words.ts";
import { readPlainFile } from "../files/bounded-reads.ts";
import type { Host } from "../host/host.ts";
import type { Leftover } from "../journal/leftover.ts";
import type { Jq } from "../jq/jq.ts";
import type { ServerTypeName } from "../server-types.ts";
import type { Redactor } from "../redaction/redact.ts";
import { version } from "../version.ts";
import { createContext, type Context } from "./context.ts";

/** Properties of a command that are needed before its work begins. */
export interface CommandTraits {
  /** `needed` by default. */
  readonly configuration?: ConfigurationUse;
  readonly isPaged?: boolean;
  /** True if the command prints a list or an unchanged response, but never a new token, so jq may be loaded late. */
  readonly printsList?: boolean;
  /** False to announce no leftovers of earlier runs. */
  readonly announces?: boolean;
}

/** The command, then its noun, then the program. */
type Lineage = readonly [Command, ...Command[]];

/** Runs `work` with a context created from the command's flags. Throws every failure. */
export async function runCommand(
  lineage: Lineage,
  work: (context: Context) => Promise<void>,
  { configuration = "needed", isPaged = false, printsList = false, announces = true }: CommandTraits,
  { host, redactor }: { readonly host: Host; readonly redactor: Redactor },
): Promise<void> {
  const [command] = lineage;
  // The first word of the command: its noun, or its name if it has no noun.
  const noun = lineage.at(-2)?.name() ?? "";
  const given = command.optsWithGlobals<GlobalOptions>();
  if (noun !== "audit" && given.format === "html") {
    throw usageFailure(
      `--format: must be one of ${usualFormats}`,
      `Only \`grantctl audit\` supports --format ${given.format}.`,
    );
  }
  const serverType = await serverTypeOfEarlierRun(command, noun, host);
  const options = serverType === null ? given : { ...given, serverType };
  const configured = await readRunConfiguration(options, host, configuration);
  // Before anything is sent, because a mistake in the jq expression is a usage failure.
  const jq = options.jq === undefined ? null : await openJq(options.jq, host, printsList);
  const context = createContext(host, options, configured, redactor, jq, isPaged);
  describeRun(lineage, context);
  const announce = async (): Promise<void> => {
    if (announces) await announceLeftovers(context, command.opts<{ resume?: string }>().resume);
  };
  // With JSON, standard error of a failed run contains only one object, so leftovers are announced only on success.
  const { isJson } = context.printer;
  try {
    if (!isJson) await announce();
    await work(context);
    if (isJson) await announce().catch(() => undefined);
  } finally {
    await context.close();
  }
}

/** The server type of the job that --resume or `recover` names on the command line, or null. */
async function serverTypeOfEarlierRun(
  command: Command,
  noun: string,
  host: Host,
): Promise<ServerTypeName | null> {
  const { resume } = command.opts<{ readonly resume?: unknown }>();
  const named = noun === "recover" ? command.args[0] : resume;
  if (typeof named !== "string") return null;
  const { journalPath, rememberedServerType } = await import("../journal/state-folder.ts");
  return rememberedServerType(journalPath(() => stateFolder(host), named));
}

async function openJq(expression: string, host: Host, mayLoadLate: boolean): Promise<Jq> {
  const { createJq, withEnvironment } = await import("../jq/jq.ts");
  const program = withEnvironment(expression, host.childEnvironment);
  const jq = await createJq(program, (work) => host.runtime.withoutStderr(work));
  // A list can load jq with its first row. A new token must not be delayed, or lost because jq fails to load.
  if (!mayLoadLate) await jq.load();
  return jq;
}

/**
 * Writes the first lines of --debug: the flags that were used and the source of each setting, but never their values,
 * which may be secrets.
 */
function describeRun(lineage: Lineage, { host, notices, settings, configured }: Context): void {
  const { nodeVersion, platform } = host;
  notices.debug(`grantctl ${version} on Node ${nodeVersion}, ${platform}`);
  const flags = lineage.flatMap((holder) =>
    holder.options.filter((option) => isGiven(option, holder)).map((option) => option.long),
  );
  const words = lineage.toReversed().map((one) => one.name());
  notices.debug([...words, ...flags].join(" "));
  const sources = Object.entries(settings).map(([name, { source }]) => `${name} from ${source}`);
  notices.debug([`profile from ${configured.profile.source}`, ...sources].join(", "));
}

/** True if this flag was given, and not its negation (`--no-…`), which commander stores under the same name. */
function isGiven(option: Option, holder: Command): boolean {
  const name = option.attributeName();
  return (
    holder.getOptionValueSource(name) === "cli" && option.negate === (holder.getOptionValue(name) === false)
  );
}

/** The maximum number of journals to read, newest first, so that thousands of them do not slow every command down. */
const mostRead = 50;

/** Announces leftovers. Loads its modules only if there are journals; never fails a run. */
async function announceLeftovers(context: Context, resumed: string | undefined): Promise<void> {
  if (context.options.quiet === true) return;
  const number = countJournals(context.stateFolder());
  if (number === 0) return;
  const journals = await context.journals();
  const { isCommandRunning, summarize } = await import("../journal/leftover.ts");
  const leftovers: Leftover[] = [];
  for (const leftover of await journals.leftovers(mostRead).catch(() => [])) {
    const isResumed = resumed === leftover.id || resumed === leftover.path;
    if (!isResumed && !(await isCommandRunning(leftover, context.host.processes))) leftovers.push(leftover);
  }
  const paths = leftovers.map(({ path }) => path);
  if (paths.length === 0 || !(await isNews(paths, context.host.now()))) return;
  const summaries = leftovers.map(summarize);
  const count = (name: string, numberOf: (summary: (typeof summaries)[number]) => number): string => {
    const sum = summaries.reduce((total, summary) => total + numberOf(summary), 0);
    return sum === 0 ? "" : counted(sum, name);
  };
  const parts = [
    count("token value", ({ values }) => values),
    count("unknown outcome", ({ unknown }) => unknown),
    count("orphaned token", ({ state }) => Number(state === "orphaned token")),
    count("unfinished job", ({ isJob }) => Number(isJob)),
    count("damaged journal", ({ state }) => Number(state === "damaged")),
  ].filter((part) => part !== "");
  const least = number > mostRead ? "at least " : "";
  context.notices.note(`note: earlier runs left ${least}${both(parts)}. Run \`grantctl recover list\`.`);
}

/** The number of journals in the folder, including those of running processes. */
function countJournals(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".journal")).length;
  } catch {
    return 0;
  }
}

/** The time before the same leftover is announced again. */
const silenceMs = 3_600_000;

/** True if any of these journals was not announced within the last hour; then records all of them as announced. */
async function isNews(journals: readonly string[], now: number): Promise<boolean> {
  const { companionPath } = await import("../journal/state-folder.ts");
  const silent = await Promise.all(
    journals.map(async (journal) => {
      const at = Number(await readPlainFile(companionPath(journal, "announced")).then(String, () => "NaN"));
      return at <= now && now - at < silenceMs;
    }),
  );
  if (silent.every(Boolean)) return false;
  // If the file cannot be written, the leftover is announced each time.
  for (const journal of journals)
    await writeFile(companionPath(journal, "announced"), String(now), { mode: 0o600 }).catch(() => undefined);
  return true;
}
