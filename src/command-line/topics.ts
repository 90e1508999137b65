// `grantctl help`: shows the help page of a command or a topic. Tables that exist in code (global flags, exit codes,
// settings) are read from there, so that help cannot contradict the program.
import type { Command, Help } from "commander";
import { settingList } from "../config/settings.ts";
import { exitCodeMeanings } from "../errors/errors.ts";
import { childCommand, type Define } from "./command.ts";
import { addExamples, formatNotes, helperOf, type Note } from "./help.ts";

type Topic = (program: Command, helper: Help) => readonly Note[];

const flags: Topic = ({ options }, helper) => {
  const groups = helper.groupItems([], [...options], ({ helpGroupHeading }) => helpGroupHeading ?? "");
  return [
    [
      "",
      "Every command accepts these flags, before or after its name. Many can also be set with an environment variable or in a profile (run `grantctl help environment`).",
    ],
    ...[...groups].map(([heading, members]): Note => [
      heading,
      Object.fromEntries(members.map((option) => [option.flags, helper.optionDescription(option)])),
    ]),
  ];
};

const exitCodes: Topic = () => [
  [
    "",
    "The exit code shows whether a run changed anything on the server: nothing, unless noted below. `authorization run` and `sandbox run` exit with the code of the command that they run. The word after the number is the class of the error in JSON.",
    exitCodeMeanings(),
    "Of several errors, the most severe one determines the exit code: 13, then 12, then 9, then the others. A job in which nothing was accepted, and all items failed in one way, exits with that way's code. A list whose reader closes the pipe exits with code 0.",
    'With --json, an error is one object on standard error: {"error": {"class", "message", "status", "exit_code", "hint"}}. The exit code is the same.',
  ],
];

const environment: Topic = () => [
  [
    "",
    "A value comes from a flag, the environment, the profile or a default, in this order. An empty value counts as unset. Run `grantctl auth status` to see the values in use and where they come from.",
    "The variables with a password, client secret, token, one-time password or headers are removed from the environment at startup, so that no child process inherits them.",
  ],
  [
    "Server and credentials",
    {
      GRANTCTL_PROFILE: "Profile to use (--profile)",
      ...Object.fromEntries(settingList.flatMap(settingTerm)),
    },
  ],
  [
    "Behavior",
    {
      GRANTCTL_CONFIG_DIR: "Configuration directory (default: the platform's own)",
      GRANTCTL_STATE_DIR: "Directory for the records of interrupted runs (default: the platform's own)",
      GRANTCTL_NO_INPUT: "If set to anything but 0, false, no or off, never prompt (--no-input)",
      GRANTCTL_DEBUG: "Log each request to standard error, without secrets (--debug)",
      "GRANTCTL_PAGER, PAGER": "Pager for long output, run without a shell; cat disables it (default: less)",
      NO_COLOR: "Disable colors (--no-color)",
      FORCE_COLOR: "Use colors even if standard output is not a terminal",
      TERM: "If set to dumb, disable colors, progress and prompts",
      "HTTPS_PROXY, HTTP_PROXY": "Proxy for https and http URLs",
      NO_PROXY: "Comma-separated hosts to connect to without a proxy",
    },
  ],
  [
    "Commands of --to-command",
    {
      GRANTCTL_TOKEN_LAST_EIGHT: "Last eight characters of the token, which is on standard input",
      GRANTCTL_AUTHORIZATION_ID: "The authorization's ID",
      GRANTCTL_NOTE: "The authorization's note",
    },
  ],
];

/** The term of a setting's variable, with the flag and profile key of the same setting. */
function settingTerm({ variable, flag, key, meaning, choices }: (typeof settingList)[number]) {
  if (variable === undefined) return [];
  const places = [flag?.replace(/ .*/, ""), key === undefined ? undefined : `${key} in a profile`];
  const beside = places.filter((place) => place !== undefined).join(", ");
  const what = choices === undefined ? meaning : `${meaning}: ${choices.join(", ")}`;
  return [[variable, beside === "" ? what : `${what} (${beside})`] as const];
}

const formatting: Topic = () => [
  [
    "",
    "Results go to standard output, everything else to standard error. A terminal gets a table with a header; a pipe gets tab-separated lines without one.",
    {
      "--format table": "Columns with a header, fitted to the terminal",
      "--format tsv": "Tab-separated lines without a header",
      "--format csv": "The same, but comma-separated and with a header",
      "--format json, --json": "One JSON document: an array for a list, an object for one item",
      "--format ndjson": "One JSON object per line, printed as it arrives",
      "--format html": "A web page (only for `audit`)",
    },
    "Commands that act on several items print one row per item, with its status; a single item is an array with one object. One new token is printed as the bare value in text. A list that breaks off leaves its JSON array unclosed and does not exit with code 0.",
    "--json id,app.name selects fields; with --format csv or tsv, it selects columns. An unknown name causes an error that lists the valid names. JSON contains the server's values unchanged: large numbers keep every digit.",
    "--jq takes any jq program; jq is built in. Its input is the whole array or, with --format ndjson, each object. Strings are printed without quotes. $ENV has the environment without grantctl's own variables. Examples: `--jq '.[].app.name'` prints a name per line, `--jq 'map(select(.scopes == [])) | length'` counts, `--jq '.[] | [.id, .note] | @tsv'` makes columns.",
  ],
];

export const topics: Readonly<Record<string, Topic>> = {
  flags,
  "exit-codes": exitCodes,
  environment,
  formatting,
};

export const define: Define = (help, _, commands) => {
  help
    .description(`Show help for a command or a topic. Topics: ${Object.keys(topics).join(", ")}.`)
    .argument("[word...]", "Name of a command, such as `grant list`, or of a topic")
    .action(async (words: readonly string[]) => {
      let command = help.parent ?? help;
      const topic = words.length === 1 ? topics[words[0] ?? ""] : undefined;
      if (topic !== undefined) {
        const helper = helperOf(command);
        help.configureOutput().writeOut?.(`${formatNotes(topic(command, helper), helper)}\n`);
        return;
      }
      for (const word of words) {
        const child = childCommand(command, word);
        // Commander suggests the name that is like it.
        if (child === undefined && command.commands.length > 0)
          await help.parent?.parseAsync(words, { from: "user" });
        command = child ?? command;
        await commands.define(command);
      }
      command.outputHelp();
    });
  addExamples(help, ["grantctl help grant list", "grantctl help token", "grantctl help exit-codes"]);
};
