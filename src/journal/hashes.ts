// The hashes of items in a journal, so that it holds no secret.
import { hash } from "node:crypto";

/**
 * The hash of an item, an account or an application. A token is too random to be guessed from its hash.
 */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

/** The hash of a whole list of items, by their hashes, in any order. */
export function hashOfList(hashes: readonly string[]): string {
  return hashOf(hashes.toSorted().join("\n"));
}
