// How long a text of others may be where it is only told about: a message of ten megabytes is no message any more.

/** A dozen lines of a terminal. */
const longestMessage = 1000;

/**
 * The beginning of a text that is too long, the cut shown. To be given text without secrets: of one that is cut in two
 * no half would be known.
 */
export function shorten(text: string, longest = longestMessage): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
