// The beginning of a question, title or sentence.

/** The text with its first letter in capitals. */
export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
