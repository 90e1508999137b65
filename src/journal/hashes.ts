// Hashes that identify items in a journal, so that the journal contains no secrets.
import { hash } from "node:crypto";

/** Unsalted: a token is too random to be guessed from its hash. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

/** Hashes a list of item hashes, independent of their order. */
export function hashOfList(hashes: readonly string[]): string {
  return hashOf(hashes.toSorted().join("\n"));
}
