// The hints that several failures share, so that the same situation always has the same hint.
//
// A hint is a sentence with a verb. Commands to paste are in backquotes. They omit the --profile and --base-url of the
// run, which are added when the hint is printed (printing/complete-commands.ts).

const later = "Try again later.";

export const hints = {
  credentials: "Run `grantctl auth status` to see which credentials were used and where they came from.",
  connection: "Run `grantctl doctor` to check the URL, the proxy and the certificates.",
  tokenCheck: "Run `grantctl token check` with the credentials of the application.",
  server: "Run `grantctl doctor` to identify the server.",
  github:
    "This server looks like GitHub. Use --server-type github, or run `grantctl config set server_type github` to set it permanently.",
  baseUrl: "The base URL might not point to the API. Run `grantctl doctor` to check it.",
  tryLater: "Try again later, or run `grantctl doctor` to check the server.",
  notRetried: "grantctl does not retry this request. Check whether it took effect before you run it again.",
  later,
  nothingChanged: `Nothing was changed. ${later}`,
  noBaseUrl:
    "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL. To try grantctl, run `grantctl sandbox run -- grantctl grant list`.",
  cannotConfirm: "Add --yes.",
  realAddress: "Set --base-url to the URL that the server redirects to.",
  approval: "Open the URL below in a browser, approve the token, and run the command again.",
  hostName: "Check the host name in the URL.",
  scheme: "Check the scheme of the URL (http or https).",
  stateFolder: "Free some space there, or set GRANTCTL_STATE_DIR to another directory.",
  clock: "Check the clock of this machine.",
  authority: "Specify the certificate authority with --ca-cert FILE.",
  bug: "Please report it with the command and its --debug output. Run `grantctl recover list` to see what the run left.",
} as const;

/** Joins hints: sentences follow one another, fragments are separated by a semicolon. */
export function joinHints(parts: readonly (string | undefined)[]): string | undefined {
  let joined: string | undefined;
  for (const part of parts) {
    if (part === undefined || part === "") continue;
    joined = joined === undefined ? part : `${joined}${joined.endsWith(".") ? " " : "; "}${part}`;
  }
  return joined;
}
