// The hints that several failures share, so that the same situation always has the same hint.
//
// A hint is a sentence with a verb. Commands to paste are in backquotes. They omit the --profile and --base-url of the
// run, which are added when the hint is printed (output/notices.ts).

export const hints = {
  credentials: "Run `grantctl auth status` to see which credentials were used and where they came from.",
  tokenCheck: "Run `grantctl token check` with the credentials of the application.",
  server: "Run `grantctl doctor` to identify the server.",
  github:
    "This server looks like GitHub. Use --server-type github, or run `grantctl config set server_type github` to set it permanently.",
  baseUrl: "The base URL might not point to the API. Run `grantctl doctor` to check it.",
  notRetried: "grantctl does not retry this request. Check whether it took effect before you run it again.",
  nothingChanged: "Nothing was changed. Try again later.",
  stateFolder: "Free some space there, or set GRANTCTL_STATE_DIR to another directory.",
} as const;

/** Joins hints: sentences follow one another, fragments are separated by a semicolon. */
export function joinSentences(parts: readonly (string | undefined)[]): string | undefined {
  let joined: string | undefined;
  for (const part of parts) {
    if (part === undefined || part === "") continue;
    joined = joined === undefined ? part : `${joined}${joined.endsWith(".") ? " " : "; "}${part}`;
  }
  return joined;
}
