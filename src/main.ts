// Entry point: parses the command line, runs the command and resolves with the exit code, which is decided only here.
import { CommanderError } from "commander";
import type { Dispatch } from "./command-line/command.ts";
import type { GlobalOptions } from "./config/global-options.ts";
import { QuietExit } from "./errors/errors.ts";
import { secretVariables, type Host } from "./system/host.ts";
import { createOutputStream, PipeClosed } from "./output/output-stream.ts";
import { createParser, type Parser } from "./program.ts";
import type { OpenRecords } from "./run/context.ts";
import { createRedactor, type Redactor } from "./redaction.ts";

export { createProcessHost } from "./system/host.ts";

interface Run {
  readonly host: Host;
  readonly redactor: Redactor;
  readonly parser: Parser;
  /** Help and other text that is printed once the command line is parsed. */
  readonly texts: string[];
}

/** Runs one command line; resolves with the exit code once everything is written. Never rejects. */
export async function main(host: Host): Promise<number> {
  const redactor = createRedactor();
  for (const name of secretVariables) redactor.addSecret(host.environment[name] ?? "");
  const texts: string[] = [];
  const dispatch: Dispatch = async (command, work, traits = {}) => {
    const { runCommand } = await import("./run/run-command.ts");
    await runCommand(command, work, traits, { host, redactor, openRecords });
  };
  const parser = createParser(host, (text) => void texts.push(text), dispatch);
  const run: Run = { host, redactor, parser, texts };
  const finish = host.runtime.onCrash((error) => formatError(error, run));
  const exitCode = await runToExit(run);
  finish();
  return exitCode;
}

/** Passed in, because `run` closes the records, and may not import `jobs`, which is above it. */
const openRecords: OpenRecords = async (folder, trust) =>
  new (await import("./jobs/journal.ts")).Records(folder, trust);

/** Runs the command line, and prints its failure, if any; resolves with the exit code. */
async function runToExit(run: Run): Promise<number> {
  try {
    await runCommandLine(run);
    return 0;
  } catch (error) {
    if (error instanceof QuietExit) return error.exitCode;
    // The reader of our output closed the pipe, which is not a failure.
    if (error instanceof PipeClosed) return 0;
    const { text, exitCode } = await formatError(error, run);
    const stderr = createOutputStream(run.host.stderr, true);
    await stderr.write(text).catch(() => undefined);
    return exitCode;
  }
}

/** Parses the command line and runs the command. Throws a Failure, QuietExit, PipeClosed, or a bug. */
async function runCommandLine({ host, parser, texts }: Run): Promise<void> {
  const [first, ...words] = host.argv;
  if (first === "__complete") {
    const { completeLine } = await import("./command-line/completion.ts");
    texts.push(await completeLine(words, parser, host));
  } else {
    try {
      await parser.program.parseAsync([...host.argv], { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (!["commander.helpDisplayed", "commander.version"].includes(error.code)) {
        const { explainUsage } = await import("./command-line/usage-errors.ts");
        // A verb without its noun is explained by the nouns that have it.
        for (const noun of parser.program.commands) await parser.commands.define(noun);
        const failure = explainUsage(error, parser.commands.current());
        if (failure !== null) throw failure;
      }
    }
  }
  const text = texts.join("");
  const { stdout } = host;
  if (stdout.isTerminal && text.split("\n").length > stdout.rows)
    await (await import("./run/pager.ts")).printPaged(text, host);
  else if (text !== "") await createOutputStream(stdout, true).write(text);
}

async function formatError(error: unknown, { host, redactor, parser }: Run) {
  // Loaded on demand, because help needs none of it.
  const { asFailure, formatFailure, noticeStyle } = await import("./output/notices.ts");
  const failure = asFailure(error);
  // As far as they were parsed.
  const flags = parser.program.opts<Partial<GlobalOptions>>();
  const { json, jq, format = "" } = flags;
  const asJson = json !== undefined || jq !== undefined || format.endsWith("json");
  const text = formatFailure(failure, asJson, noticeStyle(flags, host, redactor));
  return { text, exitCode: failure.exitCode };
}
