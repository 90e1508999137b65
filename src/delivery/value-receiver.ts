// Where new tokens go: standard output, a file (--output-file) or a command (--to-command). The service shows a token
// only once, so the receiver is checked before anything is sent.
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
  /** The flags that were typed for it, as far as `recover show` takes them too. */
  readonly words: readonly string[];
  /** A text by which a later run recognises the same file, for the journal; null for any other receiver. */
  readonly identity: string | null;
  /** Whether an earlier run of the job wrote this text already. */
  has(text: string): boolean;
  /**
   * Resolves when the receiver has taken the text (a command gets only the value); throws an `undelivered` failure when
   * it has not.
   */
  write(text: string, value: NewValue): Promise<void>;
  /** Whether what was written is still there: false for a file that was deleted or replaced meanwhile. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Prints the item without its value, where JSON was asked for and a command took the value. */
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

/** Adds --to-command; `deed` says in the help what the command gets. */
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
 * Opens the receiver. Throws a usage failure when it would lose a value. `ofThisJob` are the identities of the files
 * that earlier runs of the same job wrote values to.
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

/** The checks of a dry run: whether the command exists, and whether --to-check succeeds. */
export async function checkReceiverCommand(options: ReceiverOptions, context: Context): Promise<void> {
  if ((options.toCommand ?? options.toCheck) !== undefined) await openReceiver(options, context);
}
