import { hash } from "node:crypto";

/** The key of a token in a journal. Unsalted: a token is too random to be guessed from its hash. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}
