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

export interface ValueOutput {
  /** Whether an earlier run of the job wrote this text already. */
  has(text: string): boolean;
  /** Resolves when the output has taken the text; throws an `undelivered` failure otherwise. */
  write(text: string): Promise<void>;
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

/** Opens the output. Throws a usage failure when it would lose a value. `mayContinue` is for a job taken up again. */
export async function openValueOutput(
  options: ValueOutputOptions,
  context: Context,
  mayContinue = false,
): Promise<ValueOutput> {
  if (options.outputFile === undefined) {
    if (options.force === true) throw usageFailure("--force belongs to --output-file");
    context.printer.checkCanDeliver();
    return {
      has: () => false,
      write: (text) => delivering(() => context.stdout.write(text)),
      close: () => Promise.resolve(),
    };
  }
  if (options.outputFile === "" || options.outputFile === "-")
    throw usageFailure("the output file has no name");
  const { openValueFile } = await import("../output/value-file.ts");
  return openValueFile(options.outputFile, { mayReplace: options.force === true, mayContinue });
}
