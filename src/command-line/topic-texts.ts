// The texts of the help topics: exit codes, environment variables, formatting, security.
import { examples, section, terms, type Section } from "./help-sections.ts";
import { either } from "../errors/words.ts";
import { candidatesOf, settingNames, type SettingName } from "../config/settings.ts";
import { exitCodeMeanings } from "../errors/exit-codes.ts";
import { defaultOperator, operatorNames } from "../operators.ts";

const rows = exitCodeMeanings().map(({ code, kind, meaning, changed }) => {
  const name = kind === "" ? code : `${code} ${kind}`;
  return [name, changed === "no" ? meaning : `${meaning} (changed: ${changed})`] as const;
});
export const exitCodesSections: readonly Section[] = [
  section(
    null,
    "A run ends with one code, and the code says whether anything changed at the service: nothing did, unless its line says so. The word after the number is the class of the error, which --json prints.",
  ),
  section("Codes", terms(rows)),
  section(
    "When several things go wrong",
    "The riskier one decides: 13, then 12, then 9, then the rest. --json never changes a code. A reader that has seen enough of a list (as in: grantctl grant list | head -1) ends it quietly with 0, and a check of many tokens with 9.",
  ),
  section(
    "Errors as JSON",
    'With --json or --jq an error is one object on standard error: {"error": {"class", "message", "status", "exit_code", "hint"}}.',
  ),
  section(
    "Examples",
    examples(
      'TOKEN=$(grantctl authorization create --note "ci $(hostname)") || exit',
      'grantctl grant view 42 > grant.txt || echo "it ended with $?"',
    ),
  ),
];

const meanings = {
  operator: `which kind of server it is: ${either(operatorNames)}; ${defaultOperator.name} by default`,
  baseUrl: "the service's address, its path prefix included",
  username: "the account's user name",
  password: "the account's password",
  passwordCommand: "a command that prints the account's password",
  token: "the token that api, graphql and audit --github-org send",
  otp: "a one-time password",
  otpCommand: "a command that prints a one-time password; it is run when one is asked for",
  clientId: "the application's client ID, for token and get-or-create",
  clientSecret: "the application's client secret",
  clientSecretCommand: "a command that prints the application's client secret",
  headerWord: "the word in X-<Word>-OTP and X-<Word>-SSO; the operator's own by default",
  caCert: "certificate authorities to trust",
  clientCert: "a client certificate",
  clientKey: "the key of the client certificate",
} as const satisfies Record<SettingName, string>;

export const environmentSections: readonly Section[] = [
  section(
    null,
    "A flag wins over a variable, a variable over the profile, the profile over the default. An empty variable counts as unset. grantctl auth status shows each part, every place that it may come from, and which one wins.",
  ),
  section(
    "Address and credentials",
    terms([
      ["GRANTCTL_PROFILE", "the profile of the configuration to use (--profile)"],
      ...settingNames.flatMap(settingTerm),
    ]),
  ),
  section(
    "Folders",
    terms([
      ["GRANTCTL_CONFIG_DIR", "the folder of the configuration; the platform's own by default"],
      ["GRANTCTL_STATE_DIR", "the folder for what must survive a crash; the platform's own by default"],
    ]),
  ),
  section(
    "Behaviour",
    terms([
      ["GRANTCTL_NO_INPUT", "never ask, fail instead; 0, false, no and off mean no (--no-input)"],
      ["GRANTCTL_DEBUG", "describe each request on standard error, without secrets (--debug)"],
      ["NO_COLOR", "no colours (--no-color)"],
      [
        "FORCE_COLOR",
        "colours even when standard output is not a terminal, unless it is 0 or false (--color)",
      ],
      [
        "LC_ALL, LC_CTYPE, LANG",
        "if the first that is set is C or POSIX, text for people is ASCII; what goes to a pipe stays as it is",
      ],
      ["TERM", "dumb: no colours, no progress, and questions as plain lines"],
    ]),
  ),
  section(
    "Network",
    terms([
      ["HTTPS_PROXY, HTTP_PROXY", "the proxy for addresses with https, and with http; in lower case, too"],
      ["NO_PROXY", "hosts that are reached without it, separated by commas; in lower case, too"],
    ]),
  ),
  section(
    "Set for the command of --to-command",
    terms([
      [
        "GRANTCTL_TOKEN_LAST_EIGHT",
        "the last eight characters of the new value, which is its standard input",
      ],
      ["GRANTCTL_AUTHORIZATION_ID", "the authorization's id"],
      ["GRANTCTL_NOTE", "its note"],
    ]),
  ),
  section(
    "Secrets",
    "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN and GRANTCTL_OTP are taken out of the process's environment at start and never reach a child. A secret has no flag: it would be visible in ps and in your shell's history. See grantctl help security.",
  ),
  section(
    "Examples",
    examples("GRANTCTL_NO_INPUT=1 grantctl grant list", "grantctl auth status --json setting,value,source"),
  ),
];

/** The term of a setting's variable, with the flag and profile key of the same setting. */
function settingTerm(setting: SettingName): readonly (readonly [string, string])[] {
  const places = candidatesOf(setting, { options: {}, environment: {}, profile: {} });
  const nameIn = (source: string): string | undefined =>
    places.find((place) => place.source === source)?.name;
  const variable = nameIn("environment");
  if (variable === undefined) return [];
  const flag = nameIn("flag");
  const key = nameIn("profile");
  const others = [flag, key === undefined ? undefined : `${key} in a profile`];
  const beside = others.filter((other) => other !== undefined).join(", ");
  return [[variable, beside === "" ? meanings[setting] : `${meanings[setting]} (${beside})`]];
}

export const formattingSections: readonly Section[] = [
  section(
    null,
    "Results go to standard output, everything else to standard error. A terminal gets a table with a header; a pipe gets tab-separated lines without one. Flags choose something else.",
  ),
  section(
    "Formats",
    terms([
      ["--format table", "columns under a header, as wide as the terminal"],
      ["--format tsv", "tab-separated lines without a header"],
      ["--format csv", "comma-separated lines under a header"],
      ["--format json, --json", "one JSON document: an array for a list, an object for one item"],
      ["--format ndjson", "one JSON object a line, each printed when it arrives"],
    ]),
  ),
  section(
    "Empty cells",
    "A shell's IFS=$'\\t' read treats several tabs as one, so an empty cell moves those after it to the left. Ask for one field with --jq, or read csv or JSON with something that knows them; cut -f and awk -F'\\t' keep empty cells.",
  ),
  section(
    "Fields",
    "--json id,app.name prints those fields, in JSON, csv and tsv alike; a dot leads into an object. A wrong name is answered with the right ones. JSON carries the service's data unchanged: ids keep every digit, dates their time.",
  ),
  section(
    "jq",
    "--jq takes a program for jq; the real jq is built in. It sees the whole array, or with --format ndjson each object; a program that begins with .[] and goes on as a plain pipe is given the pages as they come. Strings come out raw, everything else as JSON on a line. $ENV holds the environment, without grantctl's own variables.",
  ),
  section(
    "Lists that break off",
    "A list that fails half-way leaves its JSON array unclosed and does not exit 0, so that no reader takes it for whole.",
  ),
  section(
    "Jobs with many items",
    "Each item is a line, its status and its id or the last eight characters of its token, or an object with --format ndjson.",
  ),
  section(
    "Examples",
    examples(
      "grantctl grant list --json id,app.name",
      "grantctl grant list --format csv > grants.csv",
      "grantctl authorization list --jq '.[] | select(.note == null).id'",
      "grantctl authorization list --format ndjson --jq .token_last_eight",
    ),
  ),
];

export const securitySections: readonly Section[] = [
  section(
    "Where secrets come from",
    "No secret is ever a flag or an argument: it would be visible in ps and in your shell's history. A secret is looked for in this order.",
    terms([
      ["standard input", "--password-stdin, --client-secret-stdin, lists of tokens"],
      ["the environment", "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN"],
      ["a command", "password_command, client_secret_command, otp_command of a profile, run without a shell"],
      ["the store", "the keychain, or with --store file a private file; grantctl auth login"],
      ["a question", "hidden, on the terminal; never with --no-input"],
    ]),
  ),
  section(
    "Where they go",
    "Password, one-time code, client secret and tokens go only to the configured scheme, host and port. Redirects are never followed, addresses in answers never fetched. Stored secrets belong to the address at which they were proven.",
    "Certificates are always verified, a proxy's too; no flag or variable turns that off. Plain http is for loopback addresses, or for --allow-http, which warns each time.",
    "No secret shows up in --debug, errors, crash reports or a child's environment. Of a token only the last eight characters are shown, except by create, get-or-create, reset, rotate and recover show. Node's own switches that write memory, keys or requests to a file, or let a debugger in, are refused.",
  ),
  section(
    "What is not lost",
    "A token's value is shown once by the service. It is on disk, private, before it is read, and is deleted there only when the output has accepted it; grantctl recover list shows what a crash left. An output that cannot accept a value is noticed before the request, as far as that is possible.",
    "A request that changes something is sent once. When its answer does not come, the exit code is 13. A job can be killed at any instant and continued with --resume: nothing skipped, nothing finished sent again.",
    "Not found is never reported as gone unless the same credentials worked in the same run: the service answers wrong credentials in the same way.",
  ),
  section(
    "What is on the terminal",
    "Text that others chose, such as the names of applications, cannot move the cursor, colour, link, ring or reorder the terminal. Questions name the address that you configured, and leave the terminal as they found it.",
  ),
  section(
    "What nobody can promise",
    "A program of the same user reads what you read: files, the terminal, and the environment that grantctl was started with (on Linux, /proc/PID/environ). JavaScript strings cannot be wiped from memory, so a core file has them: where the system writes one, Ctrl-\\ (SIGQUIT) does, unless `ulimit -c 0` forbids it. If grantctl is killed after the service has made a token and before the answer is on disk, the value is lost; the next run always says that this may have happened.",
  ),
];
