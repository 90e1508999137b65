// Reads the items that a question names: at most ten, by their IDs.
import type { Id } from "../api/resources.ts";
import { isFailure, type Failure, type FailureKind } from "../errors/errors.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import { mostNamed } from "./question.ts";

/** Failures that the change would have as well; they end the run before the question. */
const conclusive: readonly FailureKind[] = ["authentication", "otp", "sso", "network", "usage", "internal"];

/** Reads items for their names. `missing` has the failures of those that the server does not find. */
export async function lookUpItems<Item extends { readonly id: Id }>(
  ids: readonly string[],
  read: (id: string) => Promise<Item>,
): Promise<{ readonly found: ReadonlyMap<string, Item>; readonly missing: ReadonlyMap<string, Failure> }> {
  const found = new Map<string, Item>();
  const missing = new Map<string, Failure>();
  await Promise.all(
    ids.slice(0, mostNamed).map(async (id) => {
      const item = await tryRead(
        () => read(id),
        (failure) => missing.set(id, failure),
      );
      if (item !== null) found.set(id, item);
    }),
  );
  return { found, missing };
}

/**
 * Reads an item for its names; null if that fails, which need not stop the change. `onMissing` gets the failure if the
 * server does not find the item.
 */
export async function tryRead<Item extends object>(
  read: () => Promise<Item>,
  onMissing?: (failure: Failure) => void,
): Promise<Item | null> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error) || conclusive.includes(error.kind)) throw error;
    if (isItemNotFound(error)) onMissing?.(error);
    return null;
  }
}
