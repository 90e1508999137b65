// The receiver of new tokens: standard output, a file or a command. receiver-options.ts chooses and opens one.
import type { Presentation } from "../printing/presentation.ts";
import { delivering } from "../printing/undelivered.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";

/** One new token: the text that a file or standard output gets, and the token by itself for a command. */
export interface Delivery {
  readonly text: string;
  readonly value: NewValue;
}

/** What every receiver can do; a further kind is one more object of this shape. */
export interface ValueReceiver {
  readonly kind: "standard output" | "file" | "command";
  /** The flags that were typed for it, of those that `recover show` takes, too. */
  readonly words: readonly string[];
  /** What the journal has of it, by which a later run recognises a file; null for standard output. */
  readonly identity: string | null;
  /**
   * Resolves when the receiver has accepted all of them; throws an `undelivered` failure where it has not, and then
   * none counts as delivered.
   */
  write(batch: readonly Delivery[]): Promise<void>;
  /**
   * Whether it still has a token that was delivered earlier; null if that cannot be known, as of a pipe, a terminal or a
   * command.
   */
  has(token: string): Promise<boolean | null>;
  /** False for a file that was deleted or replaced after tokens were written to it. */
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Prints the item without its token, where JSON was asked for and a command got the token. */
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
