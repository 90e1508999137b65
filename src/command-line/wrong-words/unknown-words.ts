// The failure for a word that is no command, with a guess: the same verb of another noun, or a similar command. Words
// with upper case or `_` are guessed as well, but no message repeats them, because secrets may look like that.
import type { Command } from "commander";
import { usageFailure, type Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { programOf } from "../lineage.ts";
import { nameOf } from "../pages/command-page.ts";
import { either, list, nearestWords } from "./nearest.ts";
import { topics } from "../pages/topics.ts";

/** A word that a message may repeat: it looks like a command, and no secret does. */
const harmlessWord = /^[a-z-]{1,20}$/;
/** A word that may be meant for a command, in any case and with _ for -. */
const commandLike = /^[A-Za-z_-]{1,20}$/;

/** The failure for a word that names no command below `parent`. All commands of the program have to be defined. */
export function unknownCommandFailure(parent: Command, word: string): Failure {
  const help = `see ${nameOf(parent)} --help`;
  if (!commandLike.test(word)) return usageFailure("unknown command", help);
  const message = messageFor(word);
  const plain = withoutCase(word);
  const sought = absentCommand(nameOf(parent).split(" ").slice(1).concat(plain).join(" "));
  if (sought !== null) return usageFailure(message, sought);
  // A verb has no commands of its own, so there is nothing to guess.
  if (parent.commands.length === 0) return usageFailure(message, help);
  const hint = parent.parent === null ? guessOfProgram(parent, plain) : guessOfNoun(parent, plain);
  return usageFailure(message, hint ?? help);
}

/** The failure for an argument that names no command, where `names` are the commands that it may name. */
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
  if (word === "version") return "grantctl --version";
  if (topicNames.includes(word)) return `grantctl help ${word}`;
  const same = program.commands.find((command) => namesOf(command).includes(word));
  if (same !== undefined) return didYouMean([nameOf(same)]);
  const verbs = program.commands.flatMap((noun) => noun.commands);
  const exact = verbs.filter((verb) => namesOf(verb).includes(word));
  if (exact.length > 0) return either(exact.map(nameOf));
  for (const commands of [program.commands, verbs]) {
    const near = nearest(word, commands);
    if (near.length > 0) return didYouMean(near.map(nameOf));
  }
  const nearTopics = nearestWords(word, topicNames).map((name) => `grantctl help ${name}`);
  return nearTopics.length > 0 ? didYouMean(nearTopics) : null;
}

/** The guess for a word after a noun: one of its verbs, or a verb that only another noun has. */
function guessOfNoun(noun: Command, word: string): string {
  const verbs = noun.commands;
  const same = verbs.filter((verb) => namesOf(verb).includes(word));
  const meant = same.length > 0 ? same : verbs.filter((verb) => verbSynonyms(word).includes(verb.name()));
  if (meant.length > 0) return didYouMean(meant.map(nameOf));
  const elsewhere = programOf(noun)
    .commands.flatMap((other) => other.commands)
    .filter((verb) => namesOf(verb).includes(word));
  const near = elsewhere.length > 0 ? [] : nearest(word, verbs);
  if (near.length > 0) return didYouMean(near.map(nameOf));
  const own = `${nameOf(noun)} has ${list(verbs.map((verb) => verb.name()))}`;
  const [only] = elsewhere;
  return only !== undefined && elsewhere.length === 1 ? `${nameOf(only)}; ${own}` : own;
}

const topicNames = topics.map(({ name }) => name);

function didYouMean(names: readonly string[]): string {
  return `did you mean ${either(names)}`;
}

function nearest(word: string, commands: readonly Command[]): readonly Command[] {
  const near = nearestWords(word, commands.flatMap(namesOf));
  return commands.filter((command) => namesOf(command).some((name) => near.includes(name)));
}

function namesOf(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()];
}

/** Commands that people expect but that do not exist, each with the command to use instead. */
const absentCommands: Readonly<Record<string, string>> = {
  "token list":
    "the service lists no application's tokens; those of the account: grantctl authorization list",
  "token rotate": "grantctl token reset gives a token a new value",
  "token create": "grantctl authorization create, or get-or-create for an application",
  "auth token": "no command shows a stored secret; where each comes from: grantctl auth status",
  whoami: "grantctl auth status",
  open: "nothing opens a browser: grantctl grant view and grantctl authorization view show addresses",
  browse: "nothing opens a browser: grantctl grant view and grantctl authorization view show addresses",
  upgrade: "npm installs newer ones: npm install --global grantctl@latest",
  alias: "there are no aliases of grantctl's own: a shell has them",
};

/** The hint for such a command, as in `token list`; null for any other. */
function absentCommand(command: string): string | null {
  return Object.hasOwn(absentCommands, command) ? (absentCommands[command] ?? null) : null;
}

/** Verbs of other programs that mean the same as a verb of ours. */
const synonyms: readonly (readonly string[])[] = [
  ["view", "show", "get", "info", "status", "describe"],
  ["create", "new", "add"],
  ["delete", "remove", "del", "rm", "revoke", "forget", "unset"],
  ["update", "edit", "set", "change", "modify"],
  ["list", "ls", "all"],
  ["start", "run", "serve", "up"],
];

/** The group of synonyms that a verb belongs to, itself included; empty where it has none. */
function verbSynonyms(verb: string): readonly string[] {
  return synonyms.find((group) => group.includes(verb)) ?? [];
}
