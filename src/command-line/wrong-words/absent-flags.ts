// Flags that people expect but that do not exist on purpose, each with the flag or command to use instead.
interface AbsentFlag {
  readonly message: string;
  readonly hint: string;
}

const secret = "a secret is never a flag: it would be visible in ps and in your shell's history";
const verified = "certificates are always verified: no flag turns that off";
const lastUse = "the service does not report when a token was last used";

const passwordHint =
  "grantctl auth login, GRANTCTL_PASSWORD, or --password-stdin with the password on standard input";
const clientSecretHint = "GRANTCTL_CLIENT_SECRET, or --client-secret-stdin with the secret on standard input";
const apiTokenHint = "GRANTCTL_TOKEN, or grantctl auth login --with-token < FILE";
const updatedHint = "the nearest that it reports is the date of the last update: updated_at";

const formats = "--json, or --format table, tsv, csv, json or ndjson";

const flags: readonly (readonly [names: string, message: string, hint: string])[] = [
  ["--password -p --pass", secret, passwordHint],
  ["--user -u", secret, `--username NAME; ${passwordHint}`],
  ["--client-secret --secret", secret, clientSecretHint],
  ["--token --access-token --tokens", secret, apiTokenHint],
  ["--insecure -k", verified, "--ca-cert FILE trusts an authority of your own"],
  ["--last-used --last-used-at --unused-for --unused-since --not-used-for", lastUse, updatedHint],
  ["-V -v", "the version has no short flag", "grantctl --version"],
  ["-L", "the limit of a list has no short flag", "--limit N"],
  ["--output -o", "output has no flag of this name", formats],
  ["--template", "there are no templates, on purpose", "--jq makes any text of a result"],
  ["--web", "nothing opens a browser, on purpose", "--json shows every address"],
];

const lists: Readonly<Record<string, "grant" | "authorization">> = {
  "grantctl grant list": "grant",
  "grantctl authorization list": "authorization",
};

/** What to say of a filter that a list does not have, with the filter that selects the same or nearly the same. */
function absentFilter(flag: string, noun: "grant" | "authorization"): AbsentFlag | null {
  const refuse = (message: string, hint: string): AbsentFlag => ({
    message: `${flag} does not exist: ${message}`,
    hint,
  });
  switch (flag) {
    case "--unused-for":
    case "--not-used-for":
    case "--last-used":
      return refuse(
        lastUse,
        `grantctl ${noun} list --not-updated-for 90d is about the last change of its data`,
      );
    case "--note":
    case "--fingerprint":
      return refuse(
        "a grant stands for all tokens of an application, which have a note and a fingerprint each",
        "grantctl authorization list --note TEXT",
      );
    case "--expires-within":
      return refuse(
        "a grant stands for all tokens of an application, which expire one by one",
        "grantctl authorization list --expires-within 30d",
      );
    default:
      return null;
  }
}

/** What to say of such a flag; null for any other. `command` is as in `grantctl token check`. */
export function absentFlag(flag: string, command: string): AbsentFlag | null {
  const list = Object.hasOwn(lists, command) ? lists[command] : undefined;
  const ofList = list === undefined ? null : absentFilter(flag, list);
  if (ofList !== null) return ofList;
  const sought = flags.find(([names]) => names.split(" ").includes(flag));
  if (sought === undefined) return null;
  const [, message, hint] = sought;
  const isTokenList = hint === apiTokenHint && command.startsWith("grantctl token ");
  return { message, hint: isTokenList ? `${command} < FILE, or --token-file FILE` : hint };
}
