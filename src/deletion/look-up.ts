// Reads the items that a question names: at most ten, one by one.
import { isFailure, type FailureKind } from "../errors/errors.ts";
import { mostNamed } from "./question.ts";

/** Failures that the change would have as well; they end the run before the question. */
const conclusive: readonly FailureKind[] = ["authentication", "otp", "sso", "network", "usage", "internal"];

/** Reads items for their names; leaves out those that cannot be read, which need not stop the change. */
export async function lookUpItems<Item extends object>(
  ids: readonly string[],
  read: (id: string) => Promise<Item>,
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  await Promise.all(
    ids.slice(0, mostNamed).map(async (id) => {
      try {
        found.set(id, await read(id));
      } catch (error) {
        if (!isFailure(error) || conclusive.includes(error.kind)) throw error;
      }
    }),
  );
  return found;
}
