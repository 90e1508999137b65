// The texts of the help topics. Loaded only for `grantctl help TOPIC` and the reference. Tables that exist in code
// (exit codes, settings, global flags) are read from there, so that help cannot contradict the program.
import type { Command } from "commander";
import { everyCommandSections, flagSections } from "./help-page.ts";
import { exampleSection, section, terms, type Section } from "./help-sections.ts";
import { either } from "../errors/words.ts";
import { settingNames, settingTable, type SettingName } from "../config/settings.ts";
import { exitCodeMeanings } from "../errors/errors.ts";

function commandsSections(program: Command): readonly Section[] {
  return [
    section(null, "Run `grantctl help <command>` for the flags and examples of a command."),
    ...everyCommandSections(program),
  ];
}

function flagsSections(program: Command): readonly Section[] {
  return [
    section(
      null,
      "These flags can appear anywhere on the command line, before or after the name of the command. A flag that does not apply to a command has no effect or causes an error. Many flags can also be set with an environment variable or in a profile: see `grantctl help environment`.",
    ),
    ...flagSections(program),
    exampleSection("grantctl --profile work grant list --json id", "grantctl grant delete 42 --dry-run"),
  ];
}

const rows = exitCodeMeanings().map(({ code, kind, meaning, changed }) => {
  const name = kind === "" ? code : `${code} ${kind}`;
  return { name, text: changed === "no" ? meaning : `${meaning} (changed: ${changed})` };
});
const exitCodesSections: readonly Section[] = [
  section(
    null,
    "The exit code indicates whether a run changed anything on the server: nothing was changed unless noted below. `api graphql` can exit with code 1 after a partial change; `authorization run` and `sandbox run` exit with the code of the command that they run. The word after the number is the class of the error in JSON output.",
  ),
  section("Codes", { kind: "terms", terms: rows }),
  section(
    "Multiple errors",
    "If more than one error occurs, the most severe one determines the exit code: 13, then 12, then 9, then the others. --json never changes an exit code. If the reader of a pipe closes it early (grantctl grant list | head -1), a list command exits with code 0, and `token check` with code 9 if it was given more than one token. Commands that make changes run to completion.",
  ),
  section(
    "Errors as JSON",
    'With --json or --jq, an error is printed to standard error as one JSON object, on the last line, unless standard error is a terminal: {"error": {"class", "message", "status", "exit_code", "hint"}}.',
  ),
  exampleSection(
    'TOKEN=$(grantctl authorization create --note "ci $(hostname)") || exit',
    'grantctl grant view 42 > grant.txt || echo "exit code $?"',
  ),
];

const environmentSections: readonly Section[] = [
  section(
    null,
    "Precedence: flag, environment variable, profile, default. An empty variable counts as unset, as does an empty value for the corresponding flag. Run `grantctl auth status` to see which values are in use and where they come from.",
  ),
  section(
    "Server and credentials",
    terms({
      GRANTCTL_PROFILE: "Profile to use (--profile)",
      ...Object.fromEntries(settingNames.flatMap(settingTerm)),
    }),
  ),
  section(
    "Directories",
    terms({
      GRANTCTL_CONFIG_DIR: "Configuration directory (default: the platform's standard location)",
      GRANTCTL_STATE_DIR:
        "Directory for journals and unfinished work (default: the platform's standard location)",
    }),
  ),
  section(
    "Behavior",
    terms({
      GRANTCTL_NO_INPUT:
        "If set to anything but 0, false, no or off, never prompt; fail instead (--no-input)",
      GRANTCTL_DEBUG: "Log each request to standard error, without secrets (--debug)",
      NO_COLOR: "Disable colors (--no-color)",
      FORCE_COLOR: "If set to anything but 0 or false, use colors even if standard output is not a terminal",
      "GRANTCTL_PAGER, PAGER":
        "Pager (run without a shell) for lists, tables and help that do not fit on the screen; set to cat to disable paging (default: less)",
      TERM: "If set to dumb, disable colors and progress, and use plain prompts",
      COLUMNS:
        "Width of help text when output is piped (default: the width of the terminal on standard error, or 80)",
    }),
  ),
  section(
    "Network",
    terms({
      "HTTPS_PROXY, HTTP_PROXY": "Proxy for https and http URLs (the lowercase names also work)",
      NO_PROXY: "Comma-separated hosts to connect to without a proxy (the lowercase name also works)",
    }),
  ),
  section(
    "Environment of --to-command",
    terms({
      GRANTCTL_TOKEN_LAST_EIGHT:
        "Last eight characters of the new token (the token itself is on standard input)",
      GRANTCTL_AUTHORIZATION_ID: "The authorization's ID",
      GRANTCTL_NOTE: "The authorization's note",
    }),
  ),
  section(
    "Secrets",
    "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN and GRANTCTL_OTP are removed from the environment at startup, so child processes do not inherit them; `grantctl authorization run` and `grantctl sandbox run` pass only the values they create. Except for --otp, secrets cannot be passed as flags, because ps and shell history would show them. See `grantctl help security`.",
  ),
  exampleSection("GRANTCTL_NO_INPUT=1 grantctl grant list", "grantctl auth status --json name,value,source"),
];

/** The term of a setting's variable, with the flag and profile key of the same setting. */
function settingTerm(setting: SettingName): readonly (readonly [string, string])[] {
  const { variable, flag, key, meaning, choices } = settingTable[setting];
  if (variable === undefined) return [];
  const places = [flag?.replace(/ .*/, ""), key === undefined ? undefined : `${key} in a profile`];
  const beside = places.filter((place) => place !== undefined).join(", ");
  const what = choices === undefined ? meaning : `${meaning}: ${either(choices)}`;
  return [[variable, beside === "" ? what : `${what} (${beside})`]];
}

const formattingSections: readonly Section[] = [
  section(
    null,
    "Results go to standard output, everything else to standard error. By default, output is a table with a header on a terminal, and tab-separated lines without a header when piped.",
  ),
  section(
    "Formats",
    terms({
      "--format table": "Columns with a header, fitted to the terminal",
      "--format tsv": "Tab-separated lines without a header",
      "--format csv": "Comma-separated lines with a header",
      "--format json, --json": "One JSON document: an array for a list, an object for one item",
      "--format ndjson": "One JSON object per line, printed as it arrives",
    }),
  ),
  section(
    "Empty cells",
    "In a shell, `IFS=$'\\t' read` treats consecutive tabs as one, so cells after an empty one shift to the left. `cut -f` and `awk -F'\\t'` keep empty cells. To read a single field, use --jq.",
  ),
  section(
    "Fields",
    "--json id,app.name selects fields; with --format csv or tsv, it selects columns. A dot selects a nested field. An unknown name causes an error that lists the valid names. JSON contains the server's data unchanged: large numbers are not rounded.",
  ),
  section(
    "jq",
    "--jq accepts any jq program; jq is built in. The program's input is the whole array or, with --format ndjson, each object. A path such as .[].app.name prints its results while the list arrives; other programs wait for the whole array. Strings are printed without quotes, other values as one line of JSON. $ENV contains the environment, except for grantctl's own variables.",
  ),
  section(
    "Incomplete lists",
    "If a list command fails partway through, the JSON array is left unclosed and the exit code is not 0.",
  ),
  section(
    "Jobs",
    "Commands that act on multiple items print one line per item: its status, and its ID or the last eight characters of its token. With --format ndjson, each line is an object. A single item is an array with one object. One reset or rotated token is printed as the bare value in text.",
  ),
  exampleSection(
    "grantctl grant list --json id,app.name",
    "grantctl grant list --format csv > grants.csv",
    "grantctl authorization list --jq '.[] | select(.note == null).id'",
    "grantctl authorization list --format ndjson --jq .token_last_eight",
  ),
];

const jobsSections: readonly Section[] = [
  section(
    null,
    "A command that acts on multiple items checks its whole input first, then sends up to --concurrency requests at a time. It prints one line per item, with its status. On a terminal, or if any item is not done, it also prints totals at the end.",
  ),
  section(
    "Statuses",
    terms({
      "deleted, revoked, reset, rotated": "Done. A reset or rotated token has a new value",
      active: "The token is active",
      "not-found":
        "Not found, and the credentials are verified: the item is deleted, or the token is revoked, expired or mistyped, or belongs to another application. For deletions and revocations it counts as done",
      unproven: "Not found, but the credentials are not verified, so the item may still exist",
      accepted: "The server accepted the request, but there is no way to tell whether it had an effect",
      unknown:
        "Sent, but no complete response arrived. Before --resume sends anything again, it checks whether the request took effect",
      failed: "Failed, or still there; the JSON field `reason` has the message",
      "not-tried": "The job ended before this item was processed",
      "would-change": "With --dry-run, what would be done",
    }),
  ),
  section(
    "Exit codes of a job",
    "A job exits with code 0 if every item is done, 9 if any is not, 12 if a token value was not delivered, or 13 if any outcome is unknown. `token check` exits with code 0 if all tokens are active, 3 if none are active and the credentials are verified, and 9 otherwise. After Ctrl-C, the exit code is 130. If nothing was done and all items failed in one way, the exit code is that error's. A single item is a job, too.",
  ),
  section(
    "Interrupting and resuming",
    "After Ctrl-C, in-flight requests finish and no more are sent; a second Ctrl-C abandons the requests in flight. The job prints a command to continue it, with --resume and the job's ID; run that command with the same input. Deletions of grants and authorizations resume without input. Finished items are not processed again. If you no longer have that command, or the process was killed, run `grantctl recover list`. To abandon a job, run `grantctl recover forget` with its ID.",
  ),
  section(
    "Verifying results",
    "The server returns the same response for a missing item and for wrong credentials. Credentials are verified by any successful request in the same run, or by one of the application's active tokens in the file given with --proof-token-file. That token is checked first and must not be one of the items.",
    "To verify a revocation, run the same command again, or `grantctl token check`, with --proof-token-file: every token should be reported as `not-found`. Tokens that belong to another application are reported the same way. If the input might include such tokens, run `grantctl token inspect`.",
  ),
  section(
    "Rate limits",
    "If the server limits requests, the job waits as long as the server requires (at most one hour per wait), then continues.",
  ),
  exampleSection(
    "grantctl token revoke --yes --proof-token-file active.txt leaked.txt",
    "grantctl token check --proof-token-file active.txt leaked.txt",
    "grantctl recover list",
  ),
];

const securitySections: readonly Section[] = [
  section(
    "Sources of secrets",
    "Except for a one-time password (--otp), secrets are never passed as flags or arguments, because ps and shell history would show them. grantctl tries these sources in order.",
    terms({
      "standard input": "--password-stdin, --client-secret-stdin, token lists",
      "the environment": "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN, GRANTCTL_OTP",
      "a command":
        "password_command, client_secret_command and otp_command of a profile, run without a shell",
      "the store": "The keychain, or a private file (`grantctl auth login --store file`)",
      "a prompt": "Hidden input on the terminal; never with --no-input",
    }),
  ),
  section(
    "Destinations",
    "Passwords, one-time passwords, client secrets and tokens are sent only to the configured server (same scheme, host and port). grantctl does not follow redirects or URLs in responses. A stored secret is used only for the profile and base URL that it was stored for.",
    "Certificates are always verified, including a proxy's; no flag or variable turns this off. Unencrypted HTTP is allowed only for loopback addresses, unless allow_http is set, which warns each time.",
    "Secrets never appear in --debug output, error messages or crash reports, and child processes do not inherit them. Only the commands `create`, `get-or-create`, `reset`, `rotate` and `recover show` print more than a token's last eight characters.",
  ),
  section(
    "Lost connections and crashes",
    "The server shows a token value only once. grantctl saves the response in a private file before parsing it, and deletes the file once the value has been delivered. Run `grantctl recover list` after a crash. Where possible, before sending the request, grantctl checks that the output can accept a value.",
    "Requests that make changes are sent only once. If no response arrives, grantctl exits with code 13. A job can be killed at any time and continued with --resume: no item is skipped, and no finished item is processed again.",
    '"Not found" counts as "already gone" only if the same credentials worked in the same run, because the server returns the same response for wrong credentials.',
  ),
  section(
    "Terminal output",
    "Text supplied by others, such as application names, cannot move the cursor, ring the bell, add links, or change colors or text direction. Prompts name the configured server, and restore the terminal when they end.",
  ),
  section(
    "Limits",
    "Other programs run by the same user can read your files, the terminal, and the environment that grantctl was started with (on Linux, /proc/PID/environ). JavaScript strings cannot be erased from memory, so a core dump contains them: Ctrl-\\ (SIGQUIT) writes one on some systems, unless core dumps are disabled with `ulimit -c 0`. If grantctl is killed after the server has created a token and before the response is on disk, the value is lost; the next run reports that this may have happened.",
  ),
];

/** The text of each topic, by its name; `program` has every command defined. */
export const topicTexts = {
  commands: commandsSections,
  flags: flagsSections,
  "exit-codes": () => exitCodesSections,
  environment: () => environmentSections,
  formatting: () => formattingSections,
  jobs: () => jobsSections,
  security: () => securitySections,
} as const satisfies Readonly<Record<string, (program: Command) => readonly Section[]>>;
