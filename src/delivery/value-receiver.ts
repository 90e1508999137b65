// What takes a new token's value, whichever kind it is. It is chosen and opened in receiver-options.ts.
import type { Presentation } from "../output/presentation.ts";
import { delivering } from "../output/undelivered.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";

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
