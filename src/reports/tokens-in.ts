// Finds tokens in a longer text, as in an address or an assignment, which some rules of scanners give as the secret.

/**
 * A token in one of GitHub's formats, with a prefix or of 40 hexadecimal digits, that is not a part of another word: an
 * older token is `v1.` and such digits, and an address may name a commit. Before a prefix may stand an escape, as `%3D`.
 */
const token =
  /(?:(?<!\w)|(?<=%[\dA-Fa-f]{2}|\\[nrt]))(?:gh[a-z]|github_pat)_[\w.-]{20,}\w|(?<![\w.+~-]|[^/]\/)[0-9a-f]{40}(?![\w.+/~-])/g;

/** The tokens in a text whose form says that they are some; none where it has only others, or is one itself. */
export function tokensIn(text: string): readonly string[] {
  return text.match(token) ?? [];
}

/** Whether a text is a token in one of these formats, and nothing else. */
export function isGitHubToken(text: string): boolean {
  return tokensIn(text)[0] === text;
}

/** Whether a token in one of these formats has a prefix, which nothing else begins with. */
export function isPrefixed(text: string): boolean {
  return /^(?:gh[a-z]|github_pat)_/.test(text);
}
