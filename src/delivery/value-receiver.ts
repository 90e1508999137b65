// What takes a new token's value, whichever kind it is. It is chosen and opened in receiver-options.ts.
import type { Presentation } from "../output/presentation.ts";
import { delivering } from "../output/undelivered.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";

/** One value on its way: as it is written to a file or to standard output, and by itself for a command. */
export interface Delivery {
  readonly text: string;
  readonly value: NewValue;
}

/** What takes new values: standard output, a file or a command; a later kind is one more object of this shape. */
export interface ValueReceiver {
  readonly kind: "standard output" | "file" | "command";
  /** The flags that were typed for it, as far as `recover show` takes them too. */
  readonly words: readonly string[];
  /** A text by which a later run recognises the same file, for the journal; null for any other receiver. */
  readonly identity: string | null;
  /**
   * Resolves when the receiver has taken all of them; throws an `undelivered` failure when it has not, and then none
   * counts as taken.
   */
  write(batch: readonly Delivery[]): Promise<void>;
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
