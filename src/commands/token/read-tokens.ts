// Where the tokens of a token command come from: a file, standard input, or a hidden question on a terminal. Never
// an argument.
import type { Command } from "commander";
import { checkToken, noteRepeats, readItems } from "../../bulk/read-items.ts";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { readInputFile, Unreadable } from "../../files/bounded-reads.ts";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { paragraph, section } from "../../command-line/pages/page.ts";

export interface TokenInputOptions {
  readonly tokenFile?: string;
}

/** Adds --token-file, and says in the help where tokens come from. */
export function addTokenInput(command: Command): Command {
  command
    .option("--token-file <file>", "read the tokens from this file instead of standard input")
    // So that a token that was typed as an argument is not repeated in a message.
    .allowExcessArguments(true);
  return addHelpSection(
    command,
    section(
      "Input",
      paragraph(
        "Tokens are read from standard input, one a line, or as JSON with a token field; on a terminal one is asked for.",
      ),
    ),
  );
}

/** The tokens, checked, each once. Throws a usage failure that names a wrong line and never repeats it. */
export async function readTokens(
  options: TokenInputOptions,
  command: Command,
  context: Context,
): Promise<readonly string[]> {
  if (command.args.length > 0 && command.args.join() !== "-") {
    throw usageFailure(
      "a token cannot be an argument: other users of this machine would see it",
      "pipe it in, or name a file with --token-file",
    );
  }
  const tokens = await findTokens(options, context);
  for (const token of tokens) context.redactor.add(token);
  return tokens;
}

async function findTokens({ tokenFile }: TokenInputOptions, context: Context): Promise<readonly string[]> {
  const expected = { onRepeats: noteRepeats("token", context.notices) };
  if (tokenFile !== undefined) return readItems(await readTokenFile(tokenFile), "token", expected);
  if (!context.standardInput.isTerminal) {
    return readItems(await context.standardInput.read("the tokens"), "token", expected);
  }
  const typed = await context.prompter.askSecret(
    `Token of the application at ${context.address.origin().href}:`,
    () => usageFailure("there is no token", "pipe it in, or name a file with --token-file"),
  );
  return [checkToken(typed.trim())];
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readInputFile(path));
  } catch (cause) {
    const reason = cause instanceof Unreadable ? cause.message : "it is not UTF-8 text";
    throw usageFailure(`cannot read the tokens in ${foreign(path)}: ${reason}`);
  }
}
