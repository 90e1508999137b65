// Explains a command line that commander rejects: names the wrong word, suggests the nearest valid ones, and refers to
// the help of the command. Loaded only after such an error.
//
//   flags      the nearest flag of the command; a flag of another tool has its own text (invalid-values.ts)
//   commands   the nearest command, a synonym (`rm`, `delete`), or a command that people expect and grantctl lacks
//   --json     without `=`, it may have taken the next word as its list of fields; the message then names that word
//
// A message repeats a word only if it looks like a command or a flag, because any other word may be a secret.
import type { Command, CommanderError } from "commander";
import { childCommand, pathOf, programOf } from "./command.ts";
import { argumentName, commandName } from "./help-page.ts";
import { topics } from "./topics.ts";
import { absentFlagFailure, wrongValueMessage } from "./invalid-values.ts";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { both, either } from "../errors/words.ts";
import { foreign } from "../errors/foreign.ts";

/** The failure for an error of commander. All commands of the program must be defined. */
export function explainUsage(error: CommanderError, words: readonly string[], program: Command): Failure {
  switch (error.code) {
    case "commander.unknownCommand": {
      const word = quotedWord(error.message);
      const place = words.indexOf(word);
      const command = commandIn(place === -1 ? words : words.slice(0, place), program);
      return swallowedCommandFailure(words, program, word) ?? unknownCommandFailure(command, word);
    }
    case "commander.unknownOption":
      return unknownFlagFailure(quotedWord(error.message), commandIn(words, program));
    default:
      return wrongValueFailure(error, words, program);
  }
}

function wrongValueFailure(error: CommanderError, words: readonly string[], program: Command): Failure {
  const command = commandIn(words, program);
  // commander reports a missing flag before an unknown one, which may be its misspelling.
  if (error.code === "commander.missingMandatoryOptionValue") {
    const unknown = unknownFlagIn(words, command);
    if (unknown !== null) return unknownFlagFailure(unknown, command);
  }
  const isMissing = error.code === "commander.missingArgument";
  const swallowed = isMissing ? swallowedArgumentFailure(words, command) : null;
  return swallowed ?? usageFailure(wrongValueMessage(error, command), wrongValueHint(error, words, command));
}

function wrongValueHint({ code }: CommanderError, words: readonly string[], command: Command): string {
  if (code === "commander.excessArguments" && hasQuietExpression(words))
    return "Use --jq for a jq program; -q is --quiet.";
  const missing =
    code === "commander.missingArgument"
      ? command.registeredArguments.find(({ required }) => required)
      : undefined;
  if (missing?.argChoices !== undefined) return `Use ${either(missing.argChoices)}.`;
  const lister = command.parent === null ? undefined : childCommand(command.parent, "list");
  if (missing?.name() === "id" && lister !== undefined)
    return `Run \`${commandName(lister)}\` to see the IDs.`;
  return `Run \`${commandName(command)} --help\` for usage.`;
}

function unknownFlagFailure(word: string, command: Command): Failure {
  const program = programOf(command);
  const [, value] = word.split("=");
  const flag = flagIn(word);
  const absent = absentFlagFailure(flag, commandName(command));
  if (absent !== null) return absent;
  if (value !== undefined && [program, command].some((taker) => acceptsFlag(taker, flag)))
    return valuelessFlagFailure(flag, command);
  const known = [program, command].flatMap(longFlagsOf);
  const longer = known.filter((long) => long.startsWith(`${flag}-`));
  const owners = program.commands
    .flatMap((noun) => [noun, ...noun.commands])
    .filter((other) => acceptsFlag(other, flag));
  const names = known.map((long) => long.slice(2));
  const alike = longer.length > 0 ? longer : nearestWords(flag.slice(2), names).map((name) => `--${name}`);
  const near = flag.startsWith("--") ? alike : [];
  const runsProgram = ["grantctl sandbox run", "grantctl authorization run"].includes(commandName(command));
  const isForOtherProgram = runsProgram && near.length === 0;
  const hint = isForOtherProgram
    ? `Put -- in front of the command: \`${commandName(command)} -- CMD ARGS...\`.`
    : owners.length > 0
      ? `Only ${both(owners.map((owner) => `\`${commandName(owner)}\``))} ${owners.length === 1 ? "has" : "have"} ${flag}.`
      : near.length > 0
        ? `You may have meant ${either(near)}.`
        : `Run \`${commandName(command)} --help\` for usage.`;
  // A short flag may have its value attached (-pVALUE), which must not be repeated.
  const isHarmless = /^--[a-z]+(?:-[a-z]+){0,4}$/.test(flag) || flag.length <= 2;
  return usageFailure(isHarmless ? `unknown flag '${foreign(flag)}'` : "unknown flag", hint);
}

/** The first word that looks like a flag but is neither a flag of the command nor the value of one, or null. */
function unknownFlagIn(words: readonly string[], command: Command): string | null {
  const options = [...programOf(command).options, ...command.options];
  let isValue = false;
  for (const word of words) {
    if (word === "--") return null;
    const flag = flagIn(word);
    const option = options.find(({ long, short }) => long === flag || short === flag);
    if (!isValue && option === undefined && /^--?[a-z]/.test(word) && flag !== "-h") return word;
    isValue = !isValue && option?.required === true && word === flag;
  }
  return null;
}

/** The flag in a word, without its value: `--limit` of `--limit=5`, `-p` of `-pVALUE`. */
function flagIn(word: string): string {
  const [typed = ""] = word.split("=");
  return typed.startsWith("--") ? typed : typed.slice(0, 2);
}

function longFlagsOf(command: Command): readonly string[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long }) => long ?? []);
}

/** The failure if `--json` took a command for its list of fields, so that the word after it seems unknown. */
function swallowedCommandFailure(
  words: readonly string[],
  program: Command,
  unknown: string,
): Failure | null {
  const at = words.indexOf("--json");
  const swallowed = at === -1 ? undefined : words[at + 1];
  if (swallowed === undefined) return null;
  const parent = commandIn([...words.slice(0, at), ...words.slice(at + 2)], program);
  const command = childCommand(parent, swallowed);
  if (command === undefined) return null;
  const meant = childCommand(command, unknown) ?? command;
  return usageFailure(
    `'${foreign(swallowed)}' was read as the field list of --json, so no command is left`,
    `Put --json after the command: \`${commandName(meant)} --json\`.`,
  );
}

/** The failure if `--json` took an argument for its list of fields: `grant view --json 1`. */
function swallowedArgumentFailure(words: readonly string[], command: Command): Failure | null {
  const behind = words[words.indexOf("--json") + 1];
  const [argument] = command.registeredArguments;
  if (!words.includes("--json") || behind === undefined || behind.startsWith("-") || argument === undefined) {
    return null;
  }
  const name = argumentName(argument);
  return usageFailure(
    `the word after --json was read as its field list, so ${name} is missing`,
    `Put --json after the argument: \`${commandName(command)} ${name} --json\`.`,
  );
}

/** True if -q is followed by a possible jq program: in gh, -q is short for --jq. */
function hasQuietExpression(words: readonly string[]): boolean {
  return words.some((word, index) => word === "-q" && /^[.[{(]/.test(words[index + 1] ?? ""));
}

function valuelessFlagFailure(flag: string, command: Command): Failure {
  const opposite = flag.replace(/^--/, "--no-");
  const hint = readsStandardInput.includes(flag)
    ? `Pass it on standard input: ${flag} < FILE.`
    : acceptsFlag(programOf(command), opposite)
      ? `Use ${flag} or ${opposite}.`
      : `Use \`${commandName(command)} ${flag}\`.`;
  return usageFailure(`${flag} takes no value`, hint);
}

const readsStandardInput: readonly string[] = ["--password-stdin", "--client-secret-stdin", "--with-token"];

/** The command that the words name, up to the first unknown word. */
function commandIn(words: readonly string[], program: Command): Command {
  let command = program;
  for (const word of words) {
    if (word === "--") break;
    const next = childCommand(command, word);
    if (next !== undefined) command = next;
  }
  return command;
}

function acceptsFlag(command: Command, flag: string): boolean {
  return command.options.some(({ long, short, hidden }) => !hidden && (long === flag || short === flag));
}

function quotedWord(message: string): string {
  return /'(.*?)'(?:\n|$)/s.exec(message)?.[1] ?? "";
}

/** A word that a message may repeat: it looks like a command, and no secret does. */
const harmlessWord = /^[a-z-]{1,20}$/;
/** A possible misspelling of a command: case-insensitive, and with _ for -. */
const commandLike = /^[A-Za-z_-]{1,20}$/;

/** The failure for a word that names no subcommand of `parent`. All commands of the program must be defined. */
export function unknownCommandFailure(parent: Command, word: string): Failure {
  const isProgram = parent.parent === null;
  const help = `Run \`${commandName(parent)} --help\` ${isProgram ? "to list commands and help topics" : "for usage"}.`;
  if (!commandLike.test(word)) return usageFailure("unknown command", help);
  const message = messageFor(word);
  const plain = withoutCase(word);
  const replacement = absentCommands.get([...pathOf(parent), plain].join(" "));
  if (replacement !== undefined) return usageFailure(message, replacement);
  // A verb has no commands of its own, so there is nothing to guess.
  if (parent.commands.length === 0) return usageFailure(message, help);
  const hint = isProgram ? guessOfProgram(parent, plain) : guessOfNoun(parent, plain);
  return usageFailure(message, hint ?? help);
}

/** The failure for an argument that names no command; `names` are the valid ones. */
export function unknownNameFailure(word: string, names: readonly string[], help: string): Failure {
  const near = commandLike.test(word) ? nearestWords(withoutCase(word), names) : [];
  return usageFailure(messageFor(word), near.length === 0 ? help : didYouMean(near));
}

function messageFor(word: string): string {
  return harmlessWord.test(word) ? `unknown command '${foreign(word)}'` : "unknown command";
}

function withoutCase(word: string): string {
  return word.toLowerCase().replaceAll("_", "-");
}

function guessOfProgram(program: Command, word: string): string | null {
  if (word === "version") return "Run `grantctl --version`.";
  if (topicNames.includes(word)) return `Run \`grantctl help ${word}\`.`;
  const same = program.commands.find((command) => commandNames(command).includes(word));
  if (same !== undefined) return didYouMean([commandName(same)]);
  const verbs = program.commands.flatMap((noun) => noun.commands);
  const exact = verbs.filter((verb) => commandNames(verb).includes(word));
  if (exact.length > 0) return didYouMean(exact.map(commandName));
  for (const commands of [program.commands, verbs]) {
    const near = nearest(word, commands);
    if (near.length > 0) return didYouMean(near.map(commandName));
  }
  const nearTopics = nearestWords(word, topicNames).map((name) => `grantctl help ${name}`);
  return nearTopics.length > 0 ? didYouMean(nearTopics) : null;
}

/** The suggestion for a word after a noun: one of its verbs, or a verb that only another noun has. */
function guessOfNoun(noun: Command, word: string): string {
  const verbs = noun.commands;
  const same = verbs.filter((verb) => commandNames(verb).includes(word));
  const meanings = synonyms.find((group) => group.includes(word)) ?? [];
  const meant = same.length > 0 ? same : verbs.filter((verb) => meanings.includes(verb.name()));
  if (meant.length > 0) return didYouMean(meant.map(commandName));
  const elsewhere = programOf(noun)
    .commands.flatMap((other) => other.commands)
    .filter((verb) => commandNames(verb).includes(word));
  const near = elsewhere.length > 0 ? [] : nearest(word, verbs);
  if (near.length > 0) return didYouMean(near.map(commandName));
  const own = `The subcommands of \`${commandName(noun)}\` are ${both(verbs.map((verb) => verb.name()))}.`;
  const [only] = elsewhere;
  return only !== undefined && elsewhere.length === 1 ? `${didYouMean([commandName(only)])} ${own}` : own;
}

const topicNames: readonly string[] = topics.map(({ name }) => name);

function didYouMean(names: readonly string[]): string {
  return `You may have meant ${either(names.map((name) => `\`${name}\``))}.`;
}

function nearest(word: string, commands: readonly Command[]): readonly Command[] {
  const near = nearestWords(word, commands.flatMap(commandNames));
  return commands.filter((command) => commandNames(command).some((name) => near.includes(name)));
}

function commandNames(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()];
}

/** Commands that people expect but that do not exist, each with the command to use instead. */
const absentCommands: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "token list":
      "The server has no list of an application's tokens. Run `grantctl authorization list` for the tokens of the account.",
    "token rotate": "Run `grantctl token reset` to replace a token with a new one.",
    "token create":
      "Run `grantctl authorization create`, or `grantctl authorization get-or-create` for an application.",
    "auth token":
      "No command shows a stored secret. Run `grantctl auth status` to see where each comes from.",
    resume:
      "Run `grantctl recover list` to see the command that resumes each job. For details, run `grantctl help jobs`.",
    apps: "Run `grantctl grant list` to see the applications that can access your account.",
    applications: "Run `grantctl grant list` to see the applications that can access your account.",
    whoami: "Run `grantctl auth status` to see the user name and the profile in use.",
    output: "Run `grantctl help formatting`.",
    format: "Run `grantctl help formatting`.",
    jq: "Run `grantctl help formatting`.",
    json: "Run `grantctl help formatting`.",
    scripting: "Run `grantctl help formatting` and `grantctl help exit-codes`.",
    errors: "Run `grantctl help exit-codes`.",
    env: "Run `grantctl help environment`.",
    open: "No command opens a browser. Run `grantctl grant view` or `grantctl authorization view` to see URLs.",
    browse:
      "No command opens a browser. Run `grantctl grant view` or `grantctl authorization view` to see URLs.",
    graphql: "Run `grantctl api graphql -f query='{ viewer { login } }'`.",
    schema: "Run `grantctl help` with a command to see the fields of its JSON.",
    upgrade: "Run `npm install --global grantctl@latest` to upgrade.",
    alias: "grantctl has no aliases of its own. Use an alias of your shell.",
  }),
);

/** Verbs of other programs with the same meaning as a verb of grantctl. */
const synonyms: readonly (readonly string[])[] = [
  ["view", "show", "get", "info", "status", "describe"],
  ["create", "new", "add"],
  ["delete", "remove", "del", "rm", "revoke", "forget", "unset"],
  ["update", "edit", "set", "change", "modify"],
  ["list", "ls", "all"],
  ["start", "run", "serve", "up"],
];

const mostEdits = 3;
/** The minimum share of the longer word that must match. */
const leastAlike = 0.5;

/** The nearest words, in alphabetical order; empty if none is near enough. Pass flags without their dashes. */
function nearestWords(typed: string, words: readonly string[]): readonly string[] {
  const near = [...new Set(words)].flatMap((word) => {
    const edits = countEdits(typed, word);
    const length = Math.max(typed.length, word.length);
    return word.length > 1 && edits <= mostEdits && (length - edits) / length > leastAlike
      ? [{ word, edits }]
      : [];
  });
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near
    .flatMap(({ word, edits }) => (edits === fewest ? [word] : []))
    .toSorted((one, other) => one.localeCompare(other));
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions, and transpositions of adjacent letters.
 * Quadratic, so words whose lengths differ by more than `mostEdits` are not compared.
 */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > mostEdits) return Infinity;
  // The last two rows of the matrix of distances between prefixes of both words.
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: from.length + 1 }, (_, index) => index);
  for (let made = 1; made <= to.length; made += 1) {
    const next = [made];
    for (let used = 1; used <= from.length; used += 1) {
      const isSame = from[used - 1] === to[made - 1];
      const areSwapped = from[used - 1] === to[made - 2] && from[used - 2] === to[made - 1];
      next.push(
        Math.min(
          (next[used - 1] ?? Infinity) + 1,
          (last[used] ?? Infinity) + 1,
          (last[used - 1] ?? Infinity) + (isSame ? 0 : 1),
          areSwapped ? (before[used - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[from.length] ?? Infinity;
}
