// Implements --to-command: the command runs once for each new token, without a shell, and reads the token from its
// standard input. No token is in its arguments or its environment; its output goes to standard error, with secrets
// redacted.
import { isAbsolute, resolve } from "node:path";
import { idText } from "../api/resources.ts";
import { quoteCommand, splitCommand } from "../config/command-words.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { typedWord } from "../errors/words.ts";
import { findProgram, runProgram } from "../system/programs.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token.ts";
import type { NewToken } from "./new-value.ts";
import type { ValueReceiver } from "./receiver.ts";

/** Opens the command as a receiver. Throws a usage failure if it does not exist. */
export function openValueCommand(toCommand: string, context: Context): ValueReceiver {
  const typed = splitCommand(toCommand, "--to-command");
  // A resumed job may run in another folder.
  const isRelative = /[\\/]/.test(typed[0]) && !isAbsolute(typed[0]);
  const words = isRelative ? ([resolve(typed[0]), ...typed.slice(1)] as const) : typed;
  const { host } = context;
  if (findProgram(words[0], host.childEnvironment) === null)
    throw usageFailure(
      `--to-command: command not found: ${typedWord(words[0])}; nothing was sent`,
      "Use the name of a command on PATH, or its full path.",
    );
  return {
    toCommand: isRelative ? quoteCommand(words) : toCommand,
    async take(batch) {
      for (const { value } of batch) {
        const problem = await giveToCommand(words, value, context);
        if (problem === null) continue;
        throw new Failure(
          "undelivered",
          `the token exists, but the command ${words[0]} ${problem}, so the token was not delivered`,
        );
      }
    },
  };
}

/**
 * Runs the command, and then shows its output. Resolves with null for exit code 0, even if it read nothing; otherwise with
 * the end of a sentence.
 */
async function giveToCommand(words: readonly [string, ...string[]], value: NewToken, context: Context) {
  const { host, notices, options } = context;
  const { output, problem, cause } = await runProgram(words, {
    environment: { ...host.childEnvironment, ...tokenVariables(value) },
    timeoutMs: options.timeout * 1000,
    input: { text: `${value.token}\n` },
    errors: "output",
  });
  for (const line of output.split(/\r?\n/)) if (line !== "") notices.show(line);
  return cause === undefined ? problem : `${problem} (${cause.code ?? "unknown error"})`;
}

/** Environment variables that identify the token. NULs are dropped, because a variable cannot contain one. */
function tokenVariables({ token, id, note }: NewToken): Record<string, string> {
  return {
    GRANTCTL_TOKEN_LAST_EIGHT: lastEight(token),
    GRANTCTL_AUTHORIZATION_ID: idText(id),
    GRANTCTL_NOTE: (note ?? "").replaceAll("\0", ""),
  };
}
