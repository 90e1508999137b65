// Runs one command: reads the configuration, creates the context, announces what earlier runs left, does the command's
// work and closes the context. Loaded after the command line has been parsed.
import type { Command } from "commander";
import { recordIds } from "../config/folders.ts";
import { outputFormats, type GlobalOptions } from "../config/global-options.ts";
import { readRunConfiguration, type ConfigurationUse } from "../config/profiles.ts";
import { jsonFieldsOf } from "../command-line/help.ts";
import { usageFailure } from "../errors/errors.ts";
import { counted, stampOf } from "../errors/words.ts";
import { version } from "../system/host.ts";
import { parseFields } from "../output/presentation.ts";
import { hasKnownForm } from "../token.ts";
import { createContext, type Context, type RunStart } from "./context.ts";

/** Properties of a command that are needed before its work begins. */
export interface CommandTraits {
  /** `needed` by default. */
  readonly configuration?: ConfigurationUse;
  readonly formats?: readonly string[];
  readonly isPaged?: boolean;
  /** False to announce no leftovers of earlier runs. */
  readonly announces?: boolean;
}

/** Runs `work` with a context created from the command's flags. Throws every failure. */
export async function runCommand(
  command: Command,
  work: (context: Context) => Promise<void>,
  { configuration = "needed", formats = outputFormats, isPaged = false, announces = true }: CommandTraits,
  { host, redactor, openRecords }: Pick<RunStart, "host" | "redactor" | "openRecords">,
): Promise<void> {
  for (const token of typedTokens(host.argv)) redactor.add(token);
  const options = command.optsWithGlobals<GlobalOptions>();
  if (options.format !== undefined && !formats.includes(options.format))
    throw usageFailure(
      `--format must be one of ${formats.join(", ")}`,
      "Run `grantctl help formatting` to see what they are.",
    );
  const fields = parseFields(options.json, jsonFieldsOf(command));
  const configured = readRunConfiguration(options.profile, host, configuration);
  // Before anything is sent, because a mistake in the jq expression is a usage failure.
  const jq = options.jq === undefined ? null : await (await import("../jq.ts")).createJq(options.jq, host);
  const context = createContext(
    { host, options, configured, redactor, openRecords },
    { jq, fields },
    isPaged,
  );
  context.notices.debug(`grantctl ${version} on Node ${host.nodeVersion}, ${host.platform}`);
  const announce = (): void => {
    if (announces) announceLeftovers(context, command.opts<{ resume?: string }>().resume);
  };
  // With JSON, standard error of a failed run has one object, besides warnings, so leftovers are announced only on success.
  const { isJson } = context.printer;
  try {
    if (!isJson) announce();
    await work(context);
    if (isJson) announce();
  } finally {
    await context.close();
  }
}

/** The words that may be tokens, which no message repeats. The names in these flags may have the form of one. */
function typedTokens(words: readonly string[]): readonly string[] {
  const names = ["--note", "--fingerprint", "--client-id", "--app", "--username"];
  return words.filter((word, at) => hasKnownForm(word) && !names.includes(words[at - 1] ?? ""));
}

/** Runs that began later may still be at work. */
const longEnoughMs = 600_000;

/** Says in one line how many records of earlier runs there are. Opens none of them; never fails a run. */
function announceLeftovers(context: Context, resumed?: string): void {
  const { host, options, notices } = context;
  if (options.quiet === true) return;
  const stamp = stampOf(host.now() - longEnoughMs);
  let ids: readonly string[] = [];
  try {
    ids = recordIds(context.stateFolder());
  } catch {
    // There is no folder yet.
  }
  const count = ids.filter((id) => id.slice(0, stamp.length) < stamp && id !== resumed).length;
  if (count > 0) notices.note(`${counted(count, "interrupted or running job")}: grantctl recover list`);
}
