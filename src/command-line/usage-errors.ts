// Explains a command line that commander rejects. Message and suggestion are commander's, but a word that may be a secret is
// not repeated. A table has the words that people type in place of ours.
import type { Command, CommanderError } from "commander";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { joinOr } from "../errors/words.ts";
import { childCommand, commandName, lineageOf } from "./command.ts";

const notAFlag = "A secret is never a flag, because ps and the shell's history would show it.";
const fileHint = "Name the file as an argument or with --token-file, or use standard input.";
const filterHint = "Filter with --app, --scope, --older-than and others, or with --jq.";
const urlHint = "Use --base-url URL.";

/** Flags and commands of other programs, and of grantctl before 0.4, with what to do here. */
const replacements: Readonly<Record<string, string>> = {
  "--password": `${notAFlag} Run \`grantctl auth login\`, set GRANTCTL_PASSWORD, or use --password-stdin.`,
  "--client-secret": `${notAFlag} Set GRANTCTL_CLIENT_SECRET, or use --client-secret-stdin.`,
  "--token": `${notAFlag} Pass tokens in a file or on standard input; for api, set GRANTCTL_TOKEN.`,
  "--all": "A list has everything unless --limit is given; everything else names what it changes.",
  "--force": "Use --yes to skip the confirmation prompt.",
  "--verbose": "Use --debug.",
  "--input": fileHint,
  "--file": fileHint,
  "--from": `The format of a report is detected. ${fileHint}`,
  "--hostname": urlHint,
  "--url": urlHint,
  "--search": filterHint,
  "--filter": filterHint,
  "--name": "Use --app NAME for an application, or --note TEXT.",
  "--web": "grantctl never opens a browser. Use --json for URLs; `auth login --with-token` for a token.",
  "--operator": "Use --server-type TYPE.",
  "--output": "Use --output-file FILE, or --format.",
  "authorization revoke": "Run `grantctl authorization delete` to revoke the token of an authorization.",
  "token delete": "Run `grantctl token revoke` to revoke tokens.",
  show: "To look at one, use the verb `view`, or `token check`; `recover` alone has `show`.",
  graphql: "Run `grantctl api graphql -f query='{ viewer { login } }'`.",
  schema: "Run `grantctl help` with a command to see the fields of its JSON.",
  "--shard": "Split the input: docs/guides/jobs.md shows it with GNU parallel.",
  version: "Run `grantctl --version`.",
  upgrade: "Install the new version as you installed this one; README.md has the command.",
};

/** A word that a message may repeat: it looks like a command or a flag, and no secret does. */
const harmless = /^(?:[a-z][a-z-]{0,19}|--[a-z][a-z-]{0,19}|-[A-Za-z])$/;

/** The failure for an error of commander while it parsed this command; null if it printed the help of a noun instead. */
export function explainUsage({ code, message: text }: CommanderError, command: Command): Failure | null {
  // The program's help has no flags: they are a topic.
  const isGlobal = command.parent === null && code !== "commander.unknownCommand";
  const isMissing = code === "commander.missingArgument";
  const help =
    isMissing && command.parent?.name() === "recover"
      ? "Run `grantctl recover list` to see the IDs."
      : `Run \`${isGlobal ? "grantctl help flags" : `${commandName(command)} --help`}\` for usage.`;
  const [message = "", suggestion = ""] = text.replace(/^error: /, "").split(/\n(?=\(Did you mean .*\?\)$)/);
  const json: unknown = lineageOf(command).at(-1)?.getOptionValue("json");
  // `--json grant list`, `view --json 1`.
  if (typeof json === "string" && (isMissing || childCommand(command, json) !== undefined))
    return usageFailure(
      "the word after --json was read as its list of fields",
      "Put --json last, or write --json=FIELDS.",
    );
  if (typeof json === "string" && code === "commander.excessArguments")
    return usageFailure(withoutValue(message), "If they are fields, join them: --json id,name.");
  if (code === "commander.help") return null;
  const [, kind, typed = ""] = /^(unknown (?:command|option)) '(.*)'$/s.exec(message) ?? [];
  if (kind === undefined) return usageFailure(withoutValue(message), help);
  // The value of a flag may be a secret.
  const word = typed.replace(/=.*$/s, "").replace(/^(-[^-]).+$/s, "$1");
  const unknown = harmless.test(word) ? `${kind} '${word}'` : kind;
  // A guess must not skip the question.
  const safe = suggestion.replace(/--yes, |(?:, )?--yes(?=\?)/, "");
  const [, similar = ""] = /Did you mean (?:one of )?(.*)\?/.exec(safe) ?? [];
  const known = word.startsWith("-") ? similarFlags(word, command) : verbsNamed(word, command);
  const names =
    known.length > 0 ? known : [...new Set(similar.split(", ").map((name) => fullName(name, command)))];
  const isOfProgram = command.registeredArguments[0]?.name() === "command";
  const usage = isOfProgram ? `Put -- before the command: \`${commandName(command)} -- COMMAND\`.` : help;
  const suggested = names[0] === "" ? usage : `You may have meant ${joinOr(names)}.`;
  const hint = replacements[`${command.name()} ${word}`] ?? replacements[word] ?? suggested;
  return usageFailure(unknown, hint);
}

/** Commander's message without the invalid value that it quotes. What follows the value is ours, such as "must be …". */
function withoutValue(message: string): string {
  const quoted =
    /^(?:option '(?:-., )?([^ ']*)[^']*' argument|command-argument value) '.*' is invalid(?: for argument '([^']*)')?\. /s;
  return message
    .replace(quoted, "$1$2 ")
    .replace("Allowed choices are", "must be one of")
    .replace(/^option '(?:-., )?([^ ']*)[^']*' argument missing$/, "$1 requires a value")
    .replace(/^too many arguments for .* Expected (\d+) .*$/s, "too many arguments: $1 expected")
    .replace(/\.$/, "");
}

/** The flags that begin like this one: either is the beginning of the other. */
function similarFlags(word: string, command: Command): readonly string[] {
  const flags = lineageOf(command).flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  return flags.filter((flag) => flag.startsWith(word) || word.startsWith(flag));
}

/** A command as it is typed in full; a flag as it is. */
function fullName(word: string, command: Command): string {
  const child = childCommand(command, word);
  return child === undefined ? word : `\`${commandName(child)}\``;
}

/** The verbs with this name, for a verb without its noun. */
function verbsNamed(word: string, program: Command): readonly string[] {
  const verbs = program.commands.flatMap((noun) => childCommand(noun, word) ?? []);
  return verbs.map((verb) => `\`${commandName(verb)}\``);
}
