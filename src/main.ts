// Entry point: parses the command line, runs the command and resolves with the exit code. The only place that turns an
// error into text and an exit code.
import { CommanderError } from "commander";
import { type Dispatch, lineageOf } from "./command-line/command.ts";
import { mayColour } from "./config/output-settings.ts";
import { isSwitchedOn } from "./config/settings.ts";
import { QuietExit, type Failure } from "./errors/errors.ts";
import { foreign } from "./errors/foreign.ts";
import { secretVariables, type Host } from "./host/host.ts";
import { createCommandCompleter, ownWords } from "./printing/complete-commands.ts";
import { asFailure, reportFailure, stackOf, createNotices } from "./printing/notices.ts";
import { createOutputStream, PipeClosed } from "./printing/output-stream.ts";
import { sanitise } from "./drawing/sanitise.ts";
import { createParser, type Parser } from "./program.ts";
import { createRedactor, type Redactor } from "./redaction/redact.ts";

export { createProcessHost } from "./host/host.ts";

/** Runs one command line; resolves with the exit code once everything is written. Never rejects. */
export async function main(host: Host): Promise<number> {
  const started = host.now();
  const redactor = createRedactor(() => host.runtime.ownText());
  for (const name of secretVariables) redactor.add(host.environment[name] ?? "");
  const formatFailure = (failure: Failure): string => printFailure(failure, host, redactor);
  const finish = host.runtime.onCrash((error) => {
    const failure = asFailure(error);
    return { text: formatFailure(failure), exitCode: failure.exitCode };
  });
  const debug = createDebug(host, redactor);
  // Node's warnings are for developers: they are shown with --debug only.
  host.runtime.onWarning(({ name, message }) => {
    debug(foreign(`${name}: ${message}`));
  });
  const exitCode = await runWords(host, redactor, formatFailure);
  debug(`exit code ${exitCode} after ${host.now() - started} ms`);
  finish();
  return exitCode;
}

/** Parses the command line, runs the command, reports a failure, and returns the exit code. */
async function runWords(
  host: Host,
  redactor: Redactor,
  formatFailure: (failure: Failure) => string,
): Promise<number> {
  const help = createHelpWriter(host);
  const dispatch: Dispatch = async (command, work, traits = {}) => {
    const { runCommand } = await import("./run/run-command.ts");
    await runCommand(lineageOf(command), work, traits, { host, redactor });
  };
  const parserFor = (words: readonly string[]): Parser =>
    createParser({
      columns: () => helpColumns(host),
      hasColours: mayHelpColour(host),
      writeHelp: help.write,
      words,
      dispatch,
    });
  const failureOf = async (error: unknown): Promise<Failure> => {
    if (!(error instanceof CommanderError)) return asFailure(error);
    const { explainUsage } = await import("./command-line/usage-errors.ts");
    // The parser that failed has loaded only the commands that this command line names.
    const { program, commands } = parserFor([]);
    await commands.defineAll();
    return explainUsage(error, host.argv, program);
  };
  try {
    if (host.argv[0] === "__complete") {
      const { completeLine } = await import("./command-line/completion.ts");
      const { commands } = parserFor([]);
      help.write(await completeLine(host.argv.slice(1), { commands, dispatch }));
      await help.end();
      return 0;
    }
    try {
      const words = withHelpLast(host.argv);
      await parserFor(words).program.parseAsync([...words], { from: "user" });
    } finally {
      await help.end();
    }
    return 0;
  } catch (error) {
    if (error instanceof QuietExit) return error.exitCode;
    // The reader of our output closed the pipe, which is not a failure.
    if (error instanceof PipeClosed) return 0;
    if (error instanceof CommanderError && helpOrVersion.includes(error.code)) return 0;
    const failure = await failureOf(error).catch(asFailure);
    await createOutputStream(host.stderr)
      .write(formatFailure(failure))
      .catch(() => undefined);
    return failure.exitCode;
  }
}

/** A failure as text; with --debug, the stack trace of a bug comes first. */
function printFailure(failure: Failure, host: Host, redactor: Redactor): string {
  const places = isDebug(host) ? stackOf(failure) : [];
  const lines = places.map((line) => `debug:${sanitise(redactor.redactMessage(line))}\n`);
  return (
    lines.join("") +
    reportFailure(failure, {
      // On a terminal, the reader is a person.
      asJson: wantsJson(host.argv) && !host.stderr.isTerminal,
      columns: host.stderr.isTerminal ? host.stderr.columns : null,
      redactor,
      completeCommands: createCommandCompleter(host.argv),
    })
  );
}

/** Returns a function that writes a debug line; without --debug, it does nothing. */
function createDebug(host: Host, redactor: Redactor): (line: string) => void {
  if (!isDebug(host)) return () => undefined;
  const notices = createNotices(createOutputStream(host.stderr), {
    isQuiet: false,
    isDebug: true,
    redactMessage: (marked) => redactor.redactMessage(marked),
  });
  return (line) => {
    notices.debug(line);
  };
}

/** True with --debug. Read from the words, because parsing may be what fails. */
function isDebug({ argv, environment }: Host): boolean {
  return ownWords(argv).includes("--debug") || isSwitchedOn(environment["GRANTCTL_DEBUG"]);
}

const helpOrVersion = ["commander.helpDisplayed", "commander.help", "commander.version"];

/**
 * Moves --help to the end (`--help grant list` and `grant --help list` become `grant list --help`), because the parser
 * shows help for the words before the flag. Leaves words with further flags unchanged: the one after a flag may be its
 * value.
 */
function withHelpLast(words: readonly string[]): readonly string[] {
  const others = words.filter((word) => word !== "--help" && word !== "-h");
  const isHelp = others.length < words.length && others.every((word) => !word.startsWith("-"));
  return isHelp ? [...others, "--help"] : words;
}

/** The width of help: the terminal's; in a pipe COLUMNS, the width of the terminal of standard error, or 80. */
function helpColumns({ environment, stdout, stderr }: Host): number {
  if (stdout.isTerminal) return stdout.columns;
  const wanted = Number(environment["COLUMNS"]);
  if (Number.isInteger(wanted) && wanted > 0) return wanted;
  // Anything but a terminal has the usual 80 columns.
  return stderr.columns;
}

/** True if help has colours. Help is written during parsing, so the flags are searched in the unparsed words. */
function mayHelpColour({ argv, environment, stdout }: Host): boolean {
  return !ownWords(argv).includes("--no-color") && mayColour(environment, stdout.isTerminal);
}

/** True if errors are reported as JSON. Read from the words, because parsing may be what fails. */
function wantsJson(words: readonly string[]): boolean {
  const flags = ownWords(words);
  return flags.some(
    (word, index) =>
      // jq reads JSON, so with --jq the output is JSON, too.
      /^--(?:json|jq)(?:=|$)/.test(word) ||
      /^--format=(?:nd)?json$/.test(word) ||
      (word === "--format" && /^(?:nd)?json$/.test(flags[index + 1] ?? "")),
  );
}

/** Writes help. Commander does not wait for its writes, so `end` waits for them and throws their failure. */
function createHelpWriter(host: Host) {
  const writes: Promise<void>[] = [];
  return {
    write: (text: string): void => {
      const { stdout } = host;
      if (stdout.isTerminal && text.split("\n").length > stdout.rows) {
        writes.push(import("./run/pager.ts").then(({ printPaged }) => printPaged(text, host)));
        writes.at(-1)?.catch(() => undefined);
        return;
      }
      const mayBeAtOnce = !stdout.isTerminal && writes.length === 0;
      const rest = mayBeAtOnce ? stdout.writeAtOnce(Buffer.from(text)) : text;
      if (rest.length === 0) return;
      const written = createOutputStream(stdout).write(rest);
      written.catch(() => undefined);
      writes.push(written);
    },
    async end(): Promise<void> {
      await Promise.all(writes);
    },
  };
}
