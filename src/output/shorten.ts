// Shortens texts of others in messages: a service may answer with ten megabytes.

/** A dozen lines of a terminal. */
const longestMessage = 1000;

/**
 * The beginning of a text that is too long, with a mark for the cut. Secrets must be redacted before: half of one would
 * not be recognised afterwards.
 */
export function shorten(text: string, longest = longestMessage): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
