// From the command line to an exit code: builds the program, runs the command, and is the one place that turns an
// error into text and a number.
import { Command, CommanderError } from "commander";
import { announceLeftovers } from "./commands/announce-leftovers.ts";
import { addCommands } from "./commands/index.ts";
import type { Dispatch } from "./commands/dispatch.ts";
import { addGlobalOptions, type GlobalOptions } from "./config/global-options.ts";
import { readRunConfiguration } from "./config/run-configuration.ts";
import { createContext } from "./context.ts";
import { QuietExit, usageFailure, type Failure } from "./errors/errors.ts";
import type { Host } from "./host.ts";
import { asFailure, reportFailure } from "./output/error-report.ts";
import { createOutputStream, ReaderGone } from "./output/output-stream.ts";
import { createRedactor, type Redactor } from "./output/redact.ts";
import { version } from "./version.ts";

export { createProcessHost } from "./host.ts";

const widestHelp = 100;

/** Nouns that do not mention what earlier runs left. */
const silentNouns = new Set(["config", "recover", "sandbox"]);

/** Runs one command line; resolves with the exit code once everything is written. Never rejects. */
export async function main(host: Host): Promise<number> {
  const redactor = createRedactor();
  const help = createHelpWriter(host);
  try {
    try {
      await createProgram(host, redactor, help.write).parseAsync([...host.argv], { from: "user" });
    } finally {
      await help.end();
    }
    return 0;
  } catch (error) {
    if (error instanceof QuietExit) return error.exitCode;
    // The reader of our pipe has seen enough.
    if (error instanceof ReaderGone) return 0;
    if (error instanceof CommanderError && helpOrVersion.includes(error.code)) return 0;
    const failure = error instanceof CommanderError ? usageFailureOf(error) : asFailure(error);
    await createOutputStream(host.stderr)
      .write(reportFailure(failure, wantsJson(host.argv), (text) => redactor.redact(text)))
      .catch(() => undefined);
    return failure.exitCode;
  }
}

/** The program with every command, on the given host. */
export function createProgram(
  host: Host,
  redactor: Redactor = createRedactor(),
  writeHelp: (text: string) => void = createHelpWriter(host).write,
): Command {
  const dispatch: Dispatch = async (command, work, configurationUse = "needed") => {
    refuseTalkativeNode(host);
    const options = command.optsWithGlobals<GlobalOptions>();
    const { environment, platform, machine } = host;
    const surroundings = { environment, platform, homeFolder: machine.homeFolder, userId: machine.userId };
    const configured = await readRunConfiguration(options, surroundings, configurationUse);
    const context = createContext(host, options, configured, redactor);
    try {
      if (!silentNouns.has(command.parent?.name() ?? "")) await announceLeftovers(context);
      await work(context);
    } finally {
      await context.close();
    }
  };

  const program = new Command("grantctl")
    .description("Manage OAuth grants and tokens, on a service with the OAuth Authorizations API.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(true)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: writeHelp,
      // Help for a noun without a verb; errors are reported once, in main.
      writeErr: writeHelp,
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(widestHelp, host.stdout.isTerminal ? host.stdout.columns : widestHelp),
      getOutHasColors: () => false,
    });
  addGlobalOptions(program);
  addCommands(program, dispatch);
  const globals = program.options
    .filter((option) => option.long !== "--version")
    .map((option) => option.long);
  program.addHelpText("afterAll", ({ command }) =>
    command === program
      ? ""
      : `\nGlobal flags, explained by grantctl --help:\n${wrap(globals.join(" "), widestHelp - 2, "  ").trimEnd()}`,
  );
  return program;
}

/** Node's own debug output shows paths, and so tokens; it cannot be silenced once the process runs. */
function refuseTalkativeNode({ environment }: Host): void {
  if (environment["NODE_DEBUG"] !== undefined) {
    throw usageFailure(
      "NODE_DEBUG would print tokens to standard error",
      "unset it; --debug shows each request without secrets",
    );
  }
}

const helpOrVersion = ["commander.helpDisplayed", "commander.help", "commander.version"];

/** A CommanderError in the words of every other message; what was typed behind an equals sign is not repeated. */
function usageFailureOf(error: CommanderError): Failure {
  const [message = "", suggestion] = error.message
    .replace(/^error: /, "")
    .replace(/'(--?[^='\s]+)=.*'/g, "'$1'")
    .replace(/^unknown command '(?![a-z-]{1,20}'(?:\n|$)).*'/, "unknown command")
    .replace(/\.$/gm, "")
    .split("\n");
  const hint =
    suggestion === undefined
      ? "see grantctl --help"
      : suggestion.replace(/^\(Did you mean (.*)\?\)$/, "did you mean $1");
  return usageFailure(message, hint);
}

/** Whether errors are to be JSON. Read from the words themselves, because the flags may be what is wrong. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const flags = end === -1 ? words : words.slice(0, end);
  return flags.some(
    (word, index) =>
      word === "--json" ||
      word.startsWith("--json=") ||
      /^--format=(?:nd)?json$/.test(word) ||
      (word === "--format" && /^(?:nd)?json$/.test(flags[index + 1] ?? "")),
  );
}

/** Help goes out while commander parses, which does not wait: what went wrong is told at the end. */
function createHelpWriter(host: Host): {
  readonly write: (text: string) => void;
  readonly end: () => Promise<void>;
} {
  const writes: Promise<void>[] = [];
  return {
    write(text) {
      const written = createOutputStream(host.stdout).write(text);
      written.catch(() => undefined);
      writes.push(written);
    },
    async end() {
      await Promise.all(writes);
    },
  };
}

function wrap(text: string, width: number, indent: string): string {
  return text.replaceAll(new RegExp(`(.{1,${width - indent.length}})(?: |$)`, "g"), `${indent}$1\n`);
}
