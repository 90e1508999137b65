// The receiver of new tokens: standard output, a new private file (--output-file) or a command (--to-command). The server
// shows a token only once, so a receiver is checked before the first request; a file is opened with the first value. If
// `take` throws, the record keeps the values.
//
//   receiver         a value is there when
//   standard output  the stream took the bytes
//   file             it is on disk under the file's name
//   command          the command, which reads it from standard input, exits with 0
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { usageFailure } from "../errors/errors.ts";
import type { Job } from "../jobs/job.ts";
import { requireHead, type ReceiverChoice } from "../jobs/journal.ts";
import { isFileOfJob } from "../jobs/leftover.ts";
import { checkKeepsOutput, checkOutputFile, writeOrUndelivered } from "../output/output-stream.ts";
import type { Context } from "../run/context.ts";
import type { NewToken } from "./new-value.ts";

/** The record has its file or command, so that a resumed job uses the same; neither for standard output. */
export interface ValueReceiver extends ReceiverChoice {
  /**
   * Takes new tokens: a file or standard output the text, a command the value alone. Resolves when the whole batch is there;
   * throws an undelivered failure for all of it.
   */
  take(batch: readonly { readonly text: string; readonly value: NewToken }[]): Promise<void>;
  close?(): Promise<void>;
}

export interface ReceiverOptions extends ReceiverChoice {
  /** False if the file must not be replaced, whatever was typed. */
  readonly force?: boolean | undefined;
  /** The input, which the output file must not replace. */
  readonly tokenFile?: string;
  readonly proofTokenFile?: string;
}

export function addReceiverOptions(command: Command): Command {
  return command
    .option(
      "--output-file <file>",
      "Write the token to a new file that only you can read, instead of to standard output",
    )
    .option("--force", "Replace the output file if it exists")
    .option(
      "--to-command <command>",
      "Run this command for each token, without a shell, with the token on its standard input (see `grantctl help environment`)",
    );
}

/**
 * Opens the receiver of a job. A resumed one has that of its first run, unless another is given, and replaces a file that the
 * job itself has written, because it gets all values again.
 */
export async function openJobReceiver(options: ReceiverOptions, job: Job, context: Context) {
  return openReceiver(await resumedOptions(options, job), context, !job.hasOneItem);
}

async function resumedOptions(options: ReceiverOptions, { resumed }: Job): Promise<ReceiverOptions> {
  if (resumed === undefined) return options;
  const { argv, receiver = {} } = requireHead(resumed.id, resumed.contents);
  const isNamed = options.outputFile !== undefined || options.toCommand !== undefined;
  const target = isNamed ? options : { ...options, ...receiver };
  const { outputFile } = target;
  if (outputFile === undefined || resolve(outputFile) !== receiver.outputFile) return target;
  // The --force of a hint is for the job's own values, and not for what others have written since.
  const force = (await isFileOfJob(outputFile, resumed.contents)) || argv.includes("--force");
  return { ...target, force };
}

/**
 * Throws a usage failure for a format that would lose a token. Also for an output file that is the proof token's, or the
 * input of several tokens, which --resume needs again.
 */
async function checkValueOutput(isMany: boolean, options: ReceiverOptions, context: Context): Promise<void> {
  const { toCommand, outputFile, force, tokenFile = "/dev/stdin", proofTokenFile = "" } = options;
  const { printer } = context;
  if (toCommand === undefined && isMany && printer.hasJq && printer.format !== "ndjson") {
    // jq would get the whole array at the end, but each token must be written before it counts as delivered.
    throw usageFailure("--jq receives the values of multiple tokens one at a time", "Add `--format ndjson`.");
  }
  if (toCommand === undefined && printer.fields?.includes("token") === false)
    throw usageFailure(
      `${isMany ? "the values of multiple tokens" : "the new value"} would be lost: --json does not include the field token`,
      "Add `token` to the fields of --json, or deliver the value with --to-command.",
    );
  if (outputFile === undefined || force !== true) return;
  const inputs = isMany ? [tokenFile, proofTokenFile] : [proofTokenFile];
  const [output, ...others] = await Promise.all(
    [outputFile, ...inputs].map((path) => stat(path, { bigint: true }).catch(() => null)),
  );
  if (output && others.some((input) => input?.ino === output.ino && input.dev === output.dev))
    throw usageFailure(
      `${outputFile} is also an input file`,
      "Use another output file: --resume requires the input again.",
    );
}

/** Opens the receiver. `isMany`: for the values of several items. Throws a usage failure if it would lose a token. */
export async function openReceiver(
  options: ReceiverOptions,
  context: Context,
  isMany = false,
): Promise<ValueReceiver> {
  const { outputFile, toCommand, force } = options;
  if (toCommand !== undefined && outputFile !== undefined)
    throw usageFailure("--output-file and --to-command cannot be used together");
  await checkValueOutput(isMany, options, context);
  await checkOutputFile(outputFile, force);
  if (toCommand !== undefined) {
    const { openValueCommand } = await import("./value-command.ts");
    return openValueCommand(toCommand, context);
  }
  if (outputFile !== undefined) {
    const { createValueFile } = await import("./value-file.ts");
    return createValueFile(outputFile, force === true);
  }
  checkKeepsOutput(context.host);
  return {
    take: (batch) =>
      writeOrUndelivered(async () => {
        await context.stdout.write(batch.map(({ text }) => text).join(""));
        await context.stdout.flush();
      }),
  };
}
