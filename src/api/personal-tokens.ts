// Tokens that people made for themselves: no application finds them, so that "not found" says nothing of whether they live.

/** What an operator's personal tokens begin with (docs.github.com, "Token types"). */
const personalPrefix = /^(?:ghp|github_pat)_/;

/** Whether its first letters say that a token is a personal one. */
export function isPersonalToken(token: string): boolean {
  return personalPrefix.test(token);
}
