// Where tokens go that are shown once: standard output, a file of their own, or a command. Checked before anything is
// sent.
import { Option, type Command } from "commander";
import type { Context } from "../run/context.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Presentation } from "../output/presentation.ts";
import { delivering } from "../output/undelivered.ts";
import type { NewValue } from "./new-value.ts";

export interface ReceiverOptions {
  readonly outputFile?: string;
  readonly force?: true;
  readonly toCommand?: string;
  readonly toCheck?: string;
}

/** What takes new values: standard output, a file or a command; a later kind is one more object of this shape. */
export interface ValueReceiver {
  readonly kind: "standard output" | "file" | "command";
  /** What was typed for it, where `recover show` takes that as well. */
  readonly words: readonly string[];
  /** What tells a file from every other one, for the journal; null for what is there only once. */
  readonly identity: string | null;
  /** Whether an earlier run of the job wrote this text already. */
  has(text: string): boolean;
  /**
   * Resolves when the receiver has taken the text, or the value alone where it is a command; throws an `undelivered`
   * failure otherwise.
   */
  write(text: string, value: NewValue): Promise<void>;
  /** Whether what it took can still be found where it was put. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Writes what this run wants to see of a new token; whether the token's value is in it. */
export async function writeValue<T extends object>(
  receiver: ValueReceiver,
  { printer }: Context,
  newValue: NewValue,
  item: T,
  presentation: Presentation<T>,
): Promise<boolean> {
  const { token: value } = newValue;
  const text = receiver.kind === "command" ? value : printer.valueText(value, item, presentation);
  await receiver.write(text, newValue);
  // In JSON it may be written with escapes.
  return text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));
}

/** Prints the thing without its value, where JSON was asked for and a command took that. */
export async function printWithoutValue<T extends object>(
  receiver: ValueReceiver,
  { printer }: Context,
  item: T,
  presentation: Presentation<T>,
): Promise<void> {
  if (receiver.kind !== "command" || !printer.isJson) return;
  await delivering(
    () => printer.printItem({ ...item, token: "" }, presentation),
    "the token was delivered, but standard output did not take the report",
  );
}

/** Adds --to-command; with what is done there with a value, in a word or two. */
export function addToCommand(command: Command, deed: string): Command {
  return command.addOption(
    new Option(
      "--to-command <command>",
      `${deed} to the standard input of this command, run without a shell`,
    ),
  );
}

/** Adds --output-file and --force, --to-command and --to-check. */
export function addReceiverOptions(command: Command): Command {
  return addToCommand(
    command
      .option(
        "--output-file <file>",
        "write the token to this new, private file, and nothing to standard output",
      )
      .option("--force", "replace the output file if it exists"),
    "give the token",
  ).option("--to-check <command>", "run this command before anything is sent; when it fails, nothing is");
}

/**
 * Opens the receiver. Throws a usage failure when it would lose a value. `ofThisJob` are the files that earlier runs of a
 * job that is taken up again gave values to.
 */
export async function openReceiver(
  options: ReceiverOptions,
  context: Context,
  ofThisJob: readonly string[] = [],
): Promise<ValueReceiver> {
  if (options.toCommand !== undefined && options.outputFile !== undefined)
    throw usageFailure("--output-file and --to-command exclude each other");
  if (options.toCheck !== undefined && options.toCommand === undefined)
    throw usageFailure("--to-check belongs to --to-command");
  if (options.toCommand !== undefined) {
    if (options.force === true) throw usageFailure("--force belongs to --output-file");
    const { openValueCommand } = await import("./value-command.ts");
    const { toCommand, toCheck } = options;
    return openValueCommand({ toCommand, ...(toCheck === undefined ? {} : { toCheck }) }, context);
  }
  if (options.outputFile === undefined) {
    if (options.force === true) throw usageFailure("--force belongs to --output-file");
    context.printer.checkCanDeliver();
    return {
      kind: "standard output",
      words: [],
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
  const { openValueFile } = await import("./value-file.ts");
  const file = await openValueFile(options.outputFile, { mayReplace: options.force === true, ofThisJob });
  return { ...file, kind: "file", words: [] };
}

/** What a dry run can find out of the receiver: whether the command is there, and what its check says. */
export async function checkReceiverCommand(options: ReceiverOptions, context: Context): Promise<void> {
  if ((options.toCommand ?? options.toCheck) !== undefined) await openReceiver(options, context);
}
