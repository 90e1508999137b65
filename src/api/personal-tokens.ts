// Personal access tokens: no application finds them, so "not found" does not mean that they are dead.

/** What an operator's personal tokens begin with (docs.github.com, "Token types"). */
const personalPrefix = /^(?:ghp|github_pat)_/;

/** Whether a token has the prefix of a personal access token. */
export function isPersonalToken(token: string): boolean {
  return personalPrefix.test(token);
}
