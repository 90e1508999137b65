// What to say of a word that is no command: where it is one, or what it is near to.
import type { Command } from "commander";
import { usageFailure, type Failure } from "../../errors/errors.ts";
import { nameOf, rootOf } from "./command-page.ts";
import { either, nearestWords } from "./nearest.ts";
import { topics } from "./topics.ts";

/** A word that may be repeated: no secret looks like a command. */
const harmlessWord = /^[a-z-]{1,20}$/;

/**
 * The failure for a word that is no command of this one, whose program is complete. `guesses` are for a command that
 * reads the names of others, and has none below it.
 */
export function unknownCommandFailure(
  parent: Command,
  word: string,
  guesses: readonly string[] = [],
): Failure {
  const help = `see ${nameOf(parent)} --help`;
  if (!harmlessWord.test(word)) return usageFailure("unknown command", help);
  const message = `unknown command '${word}'`;
  if (parent.commands.length > 0) return usageFailure(message, guess(parent, word) ?? help);
  return usageFailure(message, guesses.length === 0 ? help : `did you mean ${either(guesses)}`);
}

function guess(parent: Command, word: string): string | null {
  const isProgram = parent.parent === null;
  if (isProgram && word === "version") return "grantctl --version";
  if (isProgram && topics.some(({ name }) => name === word)) return `grantctl help ${word}`;
  const elsewhere = verbsOf(rootOf(parent)).filter((verb) => namesOf(verb).includes(word));
  if (elsewhere.length > 0) return either(elsewhere.map(nameOf));
  const beside = nearest(word, parent.commands);
  if (beside.length > 0) return `did you mean ${either(beside.map(nameOf))}`;
  const near = isProgram ? nearest(word, verbsOf(parent)) : [];
  if (near.length > 0) return `did you mean ${either(near.map(nameOf))}`;
  const nearTopics = isProgram
    ? nearestWords(
        word,
        topics.map(({ name }) => name),
      )
    : [];
  return nearTopics.length === 0
    ? null
    : `did you mean ${either(nearTopics.map((name) => `grantctl help ${name}`))}`;
}

/** Every command of a noun. */
function verbsOf(program: Command): readonly Command[] {
  return program.commands.flatMap((noun) => noun.commands);
}

function nearest(word: string, commands: readonly Command[]): readonly Command[] {
  const near = nearestWords(word, commands.flatMap(namesOf));
  return commands.filter((command) => namesOf(command).some((name) => near.includes(name)));
}

function namesOf(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()];
}
