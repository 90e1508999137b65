// How much of an audit a page shows: what others chose may be endless, and so may be the lists.

/** Rows of one table; csv has them all. */
export const mostRows = 1000;

const longestText = 120;
const mostScopes = 12;

/** The beginning of a text, the cut shown. */
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
