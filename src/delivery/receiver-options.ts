// Where new tokens go: standard output, a file (--output-file) or a command (--to-command). The service shows a token
// only once, so the receiver is checked before anything is sent.
import { readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import { usageFailure } from "../errors/errors.ts";
import { delivering } from "../printing/undelivered.ts";
import type { Context } from "../run/context.ts";
import { checkCanShowMany, checkShowsToken } from "./value-lines.ts";
import type { ValueReceiver } from "./value-receiver.ts";

export interface ReceiverOptions {
  readonly outputFile?: string;
  readonly force?: true;
  readonly toCommand?: string;
  readonly toCheck?: string;
}

/** Adds --to-command; `deed` is the part of its help text that says what the command gets. */
export function addToCommand(command: Command, deed: string): Command {
  return command.option(
    "--to-command <command>",
    `${deed} to the standard input of this command, run without a shell`,
  );
}

/** Adds the flags that say where a new token goes. */
export function addReceiverOptions(command: Command): Command {
  return addToCommand(
    command
      .option("--output-file <file>", "Write the token to a new private file instead of standard output")
      .option("--force", "Replace the output file if it exists"),
    "Pass the token",
  ).option("--to-check <command>", "Run CMD first; stop if it fails");
}

/**
 * Throws a usage failure for an output in which a token would be lost, or that would replace a job's own input: the
 * first token would do so, and `--resume` needs that input again.
 */
export async function checkValueOutput(
  isJob: boolean,
  options: ReceiverOptions & { readonly tokenFile?: string },
  context: Context,
): Promise<void> {
  const { toCommand, outputFile, force, tokenFile = "/dev/stdin" } = options;
  if (!isJob) {
    if (toCommand === undefined) checkShowsToken("the new value", context);
    return;
  }
  if (toCommand === undefined) checkCanShowMany(context);
  if (outputFile === undefined || force !== true) return;
  const [input, output] = await Promise.all(
    [tokenFile, outputFile].map((path) => stat(path, { bigint: true }).catch(() => null)),
  );
  if (input && output && input.ino === output.ino && input.dev === output.dev) {
    throw usageFailure(
      `${outputFile} is also what the items are read from`,
      "name another file: a job that was interrupted goes on with the same input",
    );
  }
}

/**
 * Opens the receiver. Throws a usage failure when it would lose a token. `ofThisJob` are the identities of the files
 * that earlier runs of the same job wrote tokens to; null for a new job.
 */
export async function openReceiver(
  options: ReceiverOptions,
  context: Context,
  ofThisJob: readonly string[] | null = null,
): Promise<ValueReceiver> {
  if (options.toCommand !== undefined && options.outputFile !== undefined)
    throw usageFailure("--output-file and --to-command exclude each other");
  if (options.toCheck !== undefined && options.toCommand === undefined)
    throw usageFailure("--to-check belongs to --to-command");
  if (options.force === true && options.outputFile === undefined)
    throw usageFailure("--force belongs to --output-file");
  if (options.toCommand !== undefined) {
    const { openValueCommand } = await import("./value-command.ts");
    return openValueCommand(options.toCommand, options.toCheck, context);
  }
  if (options.outputFile === undefined) {
    context.printer.checkCanDeliver();
    return {
      kind: "standard output",
      words: [],
      identity: null,
      write: (batch) =>
        delivering(async () => {
          await context.stdout.write(batch.map(({ text }) => text).join(""));
          await context.stdout.settle();
        }),
      has: outputReader(context),
      isThere: () => Promise.resolve(true),
      close: () => Promise.resolve(),
    };
  }
  if (options.outputFile === "" || options.outputFile === "-")
    throw usageFailure("the output file has no name");
  const { openValueFile } = await import("./value-file.ts");
  return openValueFile(options.outputFile, {
    mayReplace: options.force === true,
    ofThisJob,
    beforeSignalEnds: (handle) => context.host.beforeSignalEnds(handle),
  });
}

/**
 * Makes the checks of openReceiver for a dry run, which leaves no file behind. Standard output is not checked, because
 * a dry run writes no token to it.
 */
export async function checkReceiver(
  options: ReceiverOptions,
  context: Context,
  ofThisJob: readonly string[] | null = null,
): Promise<void> {
  const { outputFile, force, toCommand, toCheck } = options;
  if ([outputFile, force, toCommand, toCheck].every((option) => option === undefined)) return;
  const receiver = await openReceiver(options, context, ofThisJob);
  await receiver.close();
}

/**
 * Tells whether the file that standard output is redirected to had a token when it was first asked; null for anything
 * but a file.
 */
function outputReader({ host, stdout }: Context): ValueReceiver["has"] {
  let before: Promise<Buffer> | null = null;
  const read = async (): Promise<Buffer> => {
    await stdout.settle();
    // The shell opens the file for writing alone, so it is opened again.
    return readFile("/dev/stdout").catch(() => Buffer.alloc(0));
  };
  return async (token) => (host.stdout.isFile ? (await (before ??= read())).includes(token) : null);
}
