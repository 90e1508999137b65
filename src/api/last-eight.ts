// How a token is named where its value must not be shown.

/** The last eight characters, as `token_last_eight` has them; of a short value never more than half. */
export function lastEight(token: string): string {
  const shown = Math.min(8, Math.floor(token.length / 2));
  return shown === 0 ? "" : token.slice(-shown);
}
