// The receiver of new tokens: standard output, a new private file (--output-file) or a command (--to-command). The
// server shows a token only once, so a receiver is opened and checked before the first request. A receiver accepts
// tokens in batches: if `write` throws, no token of the batch counts as delivered, and the journal keeps them all.
//
//   receiver         a token is accepted when                                   `has` can tell
//   standard output  the stream took the bytes                                  if it is redirected to a file
//   file             its line is on disk, under the file's name                 yes
//   command          the command, which reads it from standard input, exits 0   no
import { usageFailure } from "../errors/errors.ts";
import { resumeCommandFromHead } from "../jobs/resume-hint.ts";
import { writeOrUndelivered } from "../printing/output-stream.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";
import type { Command } from "commander";
import { readFile, stat } from "node:fs/promises";

/** One new token: the text that a file or standard output gets, and the token alone for a command. */
export interface Delivery {
  readonly text: string;
  readonly value: NewValue;
}

export interface ValueReceiver {
  readonly kind: "standard output" | "file" | "command";
  /** The place of an accepted token, as the end of a sentence; null for standard output. */
  readonly place: string | null;
  /** The flags that selected it; `recover show` accepts them, too. */
  readonly flags: readonly string[];
  /** Recorded in the journal so that a later run recognises a file; null for standard output. */
  readonly identity: string | null;
  /**
   * Resolves when the whole batch is accepted. Otherwise throws an `undelivered` failure, and no token of the batch
   * counts as delivered.
   */
  write(batch: readonly Delivery[]): Promise<void>;
  /** True if a token that was delivered earlier is still there; null for a pipe, a terminal or a command. */
  has(token: string): Promise<boolean | null>;
  /** False for a file that was deleted or replaced after tokens were written to it. */
  isIntact(): Promise<boolean>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly outputFile?: string;
  readonly force?: true;
  readonly toCommand?: string;
}

export function addReceiverOptions(command: Command, takes: "one" | "many" = "one"): Command {
  return command
    .option(
      "--output-file <file>",
      "Write the token to a new file that only you can read, instead of to standard output",
    )
    .option("--force", "Replace the output file if it exists")
    .option(
      "--to-command <command>",
      takes === "one"
        ? "Pass the token to the standard input of this command, which is run without a shell"
        : "Run this command for each token, without a shell, with the token on its standard input (see `grantctl help environment`)",
    );
}

/**
 * Throws a usage failure for an output format that would lose a token, and for an output file that is also the job's
 * input: the first token would replace the input, and `--resume` needs it again.
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
      `${outputFile} is also the input file`,
      "Use another output file: --resume requires the input again.",
    );
  }
}

/**
 * Opens the receiver. Throws a usage failure if it would lose a token. `jobOutputFiles` has the identities of the files that
 * earlier runs of the same job wrote tokens to; null for a new job.
 */
export async function openReceiver(
  options: ReceiverOptions,
  context: Context,
  jobOutputFiles: readonly string[] | null = null,
): Promise<ValueReceiver> {
  if (options.toCommand !== undefined && options.outputFile !== undefined)
    throw usageFailure("--output-file and --to-command cannot be used together");
  if (options.force === true && options.outputFile === undefined)
    throw usageFailure("--force requires --output-file");
  if (options.toCommand !== undefined) {
    const { openValueCommand } = await import("./value-command.ts");
    return openValueCommand(options.toCommand, context);
  }
  if (options.outputFile === undefined) {
    context.printer.checkCanDeliver();
    return {
      kind: "standard output",
      place: null,
      flags: [],
      identity: null,
      write: (batch) =>
        writeOrUndelivered(async () => {
          await context.stdout.write(batch.map(({ text }) => text).join(""));
          await context.stdout.settle();
        }),
      has: createOutputReader(context),
      isIntact: () => Promise.resolve(true),
      close: () => Promise.resolve(),
    };
  }
  if (options.outputFile === "" || options.outputFile === "-")
    throw usageFailure("--output-file names no file", "Omit it to write to standard output.");
  const { outputFile } = options;
  const { openValueFile } = await import("./value-file.ts");
  return openValueFile(outputFile, {
    mayReplace: options.force === true,
    jobOutputFiles,
    checkUnclaimed: (identity) => checkUnclaimed(outputFile, identity, context),
    beforeSignalEnds: (handle) => context.host.beforeSignalEnds(handle),
  });
}

/** Runs the checks of `openReceiver` for a dry run, which leaves no file and writes no token to standard output. */
export async function checkReceiver(
  options: ReceiverOptions,
  context: Context,
  jobOutputFiles: readonly string[] | null = null,
): Promise<void> {
  const { outputFile, force, toCommand } = options;
  if ([outputFile, force, toCommand].every((option) => option === undefined)) return;
  const receiver = await openReceiver(options, context, jobOutputFiles);
  await receiver.close();
}

/** Looks tokens up in the file that standard output is redirected to, as it was at the first call. */
function createOutputReader({ host, stdout }: Context): ValueReceiver["has"] {
  let before: Promise<Buffer> | null = null;
  const read = async (): Promise<Buffer> => {
    await stdout.settle();
    // The shell opens the file write-only, so it is opened again.
    return readFile("/dev/stdout").catch(() => Buffer.alloc(0));
  };
  return async (token) => (host.stdout.isFile ? (await (before ??= read())).includes(token) : null);
}

/** Throws a usage failure if an unfinished job wrote tokens to the file: it may have their only copies. */
async function checkUnclaimed(path: string, identity: string, context: Context): Promise<void> {
  const journals = await context.journals();
  const owner = (await journals.leftovers()).find(({ contents }) => contents.outputFiles.includes(identity));
  if (owner === undefined) return;
  throw usageFailure(
    `${path} has the new tokens of a job that is not finished, perhaps their only copies`,
    `Run \`${resumeCommandFromHead(context, owner.contents, owner.id)}\` to continue that job, or use a new file.`,
  );
}

/** Throws a usage failure if the output format would lose some of several new tokens. */
function checkCanShowMany(context: Context): void {
  const { printer } = context;
  if (printer.hasJq && printer.format !== "ndjson") {
    // jq would get the whole array at the end, but each token must be written before it counts as delivered.
    throw usageFailure("--jq receives the values of multiple tokens one at a time", "Add `--format ndjson`.");
  }
  checkShowsToken("the values of multiple tokens", context);
}

/** Throws a usage failure if the fields of --json leave the token out; `what` would then be lost. */
function checkShowsToken(what: string, { options: { json } }: Context): void {
  if (typeof json !== "string" || json.split(",").some((field) => field.trim() === "token")) return;
  throw usageFailure(
    `${what} would be lost: --json does not include the field token`,
    "Add `token` to the fields of --json, or deliver the value with --to-command.",
  );
}
