// Entry point: parses the command line, runs the command and resolves with the exit code. The only place that turns an
// error into text and an exit code.
import { CommanderError } from "commander";
import { lineageOf, type Dispatch } from "./command-line/command.ts";
import type { GlobalOptions } from "./config/global-options.ts";
import { mayColour } from "./config/output-settings.ts";
import { isSwitchedOn } from "./config/settings.ts";
import { QuietExit, type Failure } from "./errors/errors.ts";
import { secretVariables, type Host } from "./system/host.ts";
import { createCommandCompleter } from "./output/complete-commands.ts";
import { asFailure, reportFailure, stackOf, createNotices } from "./output/notices.ts";
import { createOutputStream, PipeClosed } from "./output/output-stream.ts";
import { sanitise } from "./output/sanitise.ts";
import { createParser, type Parser } from "./program.ts";
import { createRedactor, type Redactor } from "./redaction.ts";

export { createProcessHost } from "./system/host.ts";

interface Run {
  readonly host: Host;
  readonly redactor: Redactor;
  readonly parser: Parser;
  readonly dispatch: Dispatch;
  /** Help and other text that is printed once the command line is parsed. */
  readonly texts: string[];
}

/** Runs one command line; resolves with the exit code once everything is written. Never rejects. */
export async function main(host: Host): Promise<number> {
  const started = host.now();
  const run = prepare(host);
  const finish = host.runtime.onCrash((error) => {
    const failure = asFailure(error);
    return { text: formatFailure(failure, run), exitCode: failure.exitCode };
  });
  // Node's warnings are for developers: they are shown with --debug only.
  host.runtime.onWarning(({ name, message }) => {
    writeDebug(`${name}: ${message}`, run);
  });
  const exitCode = await endOf(run);
  writeDebug(`exit code ${exitCode} after ${host.now() - started} ms`, run);
  finish();
  return exitCode;
}

/** Runs the words, and prints what ended the run; resolves with its exit code. */
async function endOf(run: Run): Promise<number> {
  try {
    await runWords(run);
    return 0;
  } catch (error) {
    if (error instanceof QuietExit) return error.exitCode;
    // The reader of our output closed the pipe, which is not a failure.
    if (error instanceof PipeClosed) return 0;
    const failure = asFailure(error);
    await createOutputStream(run.host.stderr)
      .write(formatFailure(failure, run))
      .catch(() => undefined);
    return failure.exitCode;
  }
}

function prepare(host: Host): Run {
  const redactor = createRedactor();
  for (const name of secretVariables) redactor.addSecret(host.environment[name] ?? "");
  const texts: string[] = [];
  const dispatch: Dispatch = async (command, work, traits = {}) => {
    const { runCommand } = await import("./run/run-command.ts");
    await runCommand(lineageOf(command), work, traits, { host, redactor });
  };
  const parser = createParser({
    columns: () => host.stdout.columns,
    hasColours: () => hasColours({ host, parser }, host.stdout.isTerminal),
    writeHelp: (text) => void texts.push(text),
    dispatch,
  });
  return { host, redactor, parser, dispatch, texts };
}

/** Parses the command line and runs the command. Throws a Failure, QuietExit, PipeClosed, or a bug. */
async function runWords({ host, parser, dispatch, texts }: Run): Promise<void> {
  const [first, ...words] = host.argv;
  if (first === "__complete") {
    const { completeLine } = await import("./command-line/completion.ts");
    texts.push(await completeLine(words, parser, dispatch));
  } else {
    try {
      await parser.program.parseAsync([...host.argv], { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (!helpOrVersion.includes(error.code)) {
        const { explainUsage } = await import("./command-line/usage-errors.ts");
        throw explainUsage(error, parser.commands.current());
      }
    }
  }
  const text = texts.join("");
  const { stdout } = host;
  if (stdout.isTerminal && text.split("\n").length > stdout.rows)
    await (await import("./run/pager.ts")).printPaged(text, host);
  else if (text !== "") await createOutputStream(stdout).write(text);
}

const helpOrVersion = ["commander.helpDisplayed", "commander.help", "commander.version"];

/** A failure as text; with --debug, the stack trace of a bug comes first. */
function formatFailure(failure: Failure, run: Run): string {
  const { host, redactor } = run;
  const { json, jq, format = "" } = flagsOf(run.parser);
  const isJson = json !== undefined || jq !== undefined || format.endsWith("json");
  const places = isDebug(run) ? stackOf(failure) : [];
  const lines = places.map((line) => `debug:${sanitise(redactor.redact(line))}\n`);
  return (
    lines.join("") +
    reportFailure(failure, {
      // On a terminal, the reader is a person.
      asJson: isJson && !host.stderr.isTerminal,
      columns: host.stderr.isTerminal ? host.stderr.columns : null,
      redact: redactor.redact,
      hasColours: hasColours(run, host.stderr.isTerminal),
      completeCommands: createCommandCompleter(flagsOf(run.parser)),
    })
  );
}

/** The global flags as far as they were parsed. */
function flagsOf({ program }: Parser): Partial<GlobalOptions> {
  return program.opts();
}

function hasColours({ parser, host }: Pick<Run, "parser" | "host">, isTerminal: boolean): boolean {
  return flagsOf(parser).color !== false && mayColour(host.environment, isTerminal);
}

function isDebug({ parser, host }: Run): boolean {
  return flagsOf(parser).debug === true || isSwitchedOn(host.environment["GRANTCTL_DEBUG"]);
}

/** Writes a line with --debug. */
function writeDebug(line: string, run: Run): void {
  if (!isDebug(run)) return;
  createNotices(createOutputStream(run.host.stderr), {
    isQuiet: false,
    isDebug: true,
    hasColours: false,
    completeCommands: (text) => text,
    redact: run.redactor.redact,
  }).debug(line);
}
