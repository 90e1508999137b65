// How much of an audit a page shows: names and notes that others chose may be very long, and so may the lists.

/** Rows of one table; csv has them all. */
export const mostRows = 1000;

const longestText = 120;
const mostScopes = 12;

/** The beginning of a text, with an ellipsis if it was cut. */
export function cutText(text: string, longest = longestText): string {
  if (text.length <= longest) return text;
  // Not in the middle of a character.
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Scopes with commas, the first of many. */
export function scopesInWords(scopes: readonly string[]): string {
  const shown = scopes.slice(0, mostScopes).map((scope) => cutText(scope, 40));
  const left = scopes.length - shown.length;
  return left === 0 ? shown.join(", ") : `${shown.join(", ")} and ${left} more`;
}
