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
const outputs = "output has no flag of this name";

const flags: Readonly<Record<string, AbsentFlag>> = {
  "--password": { message: secret, hint: passwordHint },
  "-p": { message: secret, hint: passwordHint },
  "--pass": { message: secret, hint: passwordHint },
  "-u": { message: secret, hint: `--username NAME; ${passwordHint}` },
  "--user": { message: secret, hint: `--username NAME; ${passwordHint}` },
  "--client-secret": { message: secret, hint: clientSecretHint },
  "--secret": { message: secret, hint: clientSecretHint },
  "--token": { message: secret, hint: apiTokenHint },
  "--access-token": { message: secret, hint: apiTokenHint },
  "--tokens": { message: secret, hint: apiTokenHint },
  "-k": { message: verified, hint: "--ca-cert FILE trusts an authority of your own" },
  "--insecure": { message: verified, hint: "--ca-cert FILE trusts an authority of your own" },
  "--last-used": { message: lastUse, hint: updatedHint },
  "--last-used-at": { message: lastUse, hint: updatedHint },
  "--unused-for": { message: lastUse, hint: updatedHint },
  "--unused-since": { message: lastUse, hint: updatedHint },
  "-V": { message: "the version has no short flag", hint: "grantctl --version" },
  "-v": { message: "the version has no short flag", hint: "grantctl --version" },
  "-o": { message: outputs, hint: formats },
  "--output": { message: outputs, hint: formats },
  "--template": { message: "there are no templates, on purpose", hint: "--jq makes any text of a result" },
  "--web": { message: "nothing opens a browser, on purpose", hint: "--json shows every address" },
  "--not-used-for": { message: lastUse, hint: updatedHint },
};

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
  const sought = Object.hasOwn(flags, flag) ? flags[flag] : undefined;
  if (sought === undefined) return null;
  const isTokenList = sought.hint === apiTokenHint && command.startsWith("grantctl token ");
  return isTokenList ? { ...sought, hint: `${command} < FILE, or --token-file FILE` } : sought;
}
