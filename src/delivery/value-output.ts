// Where tokens go that are shown once: standard output, or a file of their own. Checked before anything is sent.
import type { Command } from "commander";
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Presentation } from "../output/presentation.ts";
import { delivering } from "../output/printer.ts";

export interface ValueOutputOptions {
  readonly outputFile?: string;
  readonly force?: true;
}

/** What takes new values: standard output or a file; a later kind is one more object of this shape. */
export interface ValueOutput {
  /** What tells a file from every other one, for the journal; null for what is there only once. */
  readonly identity: string | null;
  /** Whether an earlier run of the job wrote this text already. */
  has(text: string): boolean;
  /** Resolves when the output has taken the text; throws an `undelivered` failure otherwise. */
  write(text: string): Promise<void>;
  /** Whether what it took can still be found where it was put. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Writes what this run wants to see of a new token; whether the token's value is in it. */
export async function writeValue<T extends object>(
  output: ValueOutput,
  { printer }: Context,
  value: string,
  item: T,
  presentation: Presentation<T>,
): Promise<boolean> {
  const text = printer.valueText(value, item, presentation);
  await output.write(text);
  // In JSON it may be written with escapes.
  return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
}

/** Adds --output-file and --force. */
export function addValueOutput(command: Command): Command {
  return command
    .option(
      "--output-file <file>",
      "write the token to this new, private file, and nothing to standard output",
    )
    .option("--force", "replace the output file if it exists");
}

/**
 * Opens the output. Throws a usage failure when it would lose a value. `ofThisJob` are the files that earlier runs of a
 * job that is taken up again gave values to.
 */
export async function openValueOutput(
  options: ValueOutputOptions,
  context: Context,
  ofThisJob: readonly string[] = [],
): Promise<ValueOutput> {
  if (options.outputFile === undefined) {
    if (options.force === true) throw usageFailure("--force belongs to --output-file");
    context.printer.checkCanDeliver();
    return {
      identity: null,
      has: () => false,
      write: (text) =>
        delivering(async () => {
          await context.stdout.write(text);
          await context.stdout.settle();
        }),
      isThere: () => Promise.resolve(true),
      close: () => Promise.resolve(),
    };
  }
  if (options.outputFile === "" || options.outputFile === "-")
    throw usageFailure("the output file has no name");
  const { openValueFile } = await import("../output/value-file.ts");
  return openValueFile(options.outputFile, { mayReplace: options.force === true, ofThisJob });
}
