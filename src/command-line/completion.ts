// `grantctl __complete =CURRENT WORD...`: completes a word for the scripts of the shells, after the words before it. The `=`
// keeps an empty word from being dropped by some shells. Prints one word per line, followed by a tab and its description,
// or `:file` if a file may follow.
//
// The candidates come from the command table, so that the scripts stay valid after an update. Profiles and IDs of
// interrupted runs are read from this machine; no request is sent.
import { readdir } from "node:fs/promises";
import type { Argument, Command, Option } from "commander";
import { profileKeys } from "../config/settings.ts";
import type { Parser } from "../program.ts";
import type { Context } from "../run/context.ts";
import { childCommand, type Dispatch } from "./command.ts";
import { jsonFieldsOf } from "./help.ts";
import { topics } from "./topics.ts";

const file = ":file";

/** What the words before the cursor mean. */
interface Cursor {
  readonly command: Command;
  /** True after `help`, which is followed by the names of commands. */
  readonly isHelp: boolean;
  /** The flag whose value comes next. */
  readonly waiting: Option | undefined;
  /** The number of arguments of the command. */
  readonly count: number;
  /** True after `--`: what follows is another program's. */
  readonly isEnded: boolean;
}

export async function completeLine(
  [current = "=", ...words]: readonly string[],
  parser: Parser,
  dispatch: Dispatch,
): Promise<string> {
  // Bash splits a word at `=`.
  const typed = current === "==" ? "" : current.slice(1);
  const cursor = await readWords(
    words.filter((word) => word !== "="),
    parser,
  );
  const offers = await offersAt(cursor, typed, (find) => findLocally(find, parser, dispatch));
  return offers
    .filter((offer) => offer === file || offer.startsWith(typed))
    .map((offer) => `${offer}\n`)
    .join("");
}

async function readWords(words: readonly string[], { program, commands }: Parser): Promise<Cursor> {
  let cursor: Cursor = { command: program, isHelp: false, waiting: undefined, count: 0, isEnded: false };
  for (const word of words) {
    const { command, waiting, isHelp } = cursor;
    const child = childCommand(command, word);
    if (waiting !== undefined && !(waiting.optional && word.startsWith("-")))
      cursor = { ...cursor, waiting: undefined };
    else if (word === "--") return { ...cursor, waiting: undefined, isEnded: true };
    else if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
      const takesValue = option?.required === true || option?.optional === true;
      cursor = { ...cursor, waiting: takesValue ? option : undefined };
    } else if (word === "help" && command === program && !isHelp) cursor = { ...cursor, isHelp: true };
    else if (child === undefined) cursor = { ...cursor, waiting: undefined, count: cursor.count + 1 };
    else {
      await commands.define(child);
      cursor = { ...cursor, command: child, waiting: undefined };
    }
  }
  return cursor;
}

type FindLocally = (find: (context: Context) => Promise<readonly string[]>) => Promise<readonly string[]>;

async function offersAt(cursor: Cursor, typed: string, locally: FindLocally): Promise<readonly string[]> {
  const { command, isHelp, waiting, count, isEnded } = cursor;
  if (isEnded) return [file];
  if (waiting !== undefined && !(waiting.optional && typed.startsWith("-")))
    return valuesOf(waiting, command, locally);
  const [, flag] = /^(--[a-z-]+)=/.exec(typed) ?? [];
  if (flag !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === flag);
    const values = option === undefined ? [] : await valuesOf(option, command, locally);
    return values.filter((value) => value !== file).map((value) => `${flag}=${value}`);
  }
  if (typed.startsWith("-"))
    return optionsOf(command).map(({ long, description }) => `${long}\t${description}`);
  const topicNames = isHelp && command.parent === null ? Object.keys(topics) : [];
  const names = command.commands.map((child) => `${child.name()}\t${child.summary()}`);
  if (isHelp || names.length > 0) return [...names, ...topicNames];
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
  if (argument !== undefined) return valuesOf(argument, command, locally);
  // The token commands take a file, but declare no argument.
  return count === 0 && command.usage().includes("[file]") ? [file] : [];
}

/** The flags of a command, and the global ones that it does not replace. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  const global = command.parent?.parent?.options ?? command.parent?.options ?? command.options;
  return [
    ...own,
    ...global.filter(({ long }) => long !== "--version" && !own.some((one) => one.long === long)),
  ];
}

/** The possible values of a flag or an argument; none for free text. */
async function valuesOf(
  taker: Option | Argument,
  command: Command,
  locally: FindLocally,
): Promise<readonly string[]> {
  if (taker.argChoices !== undefined) return taker.argChoices;
  const fields = jsonFieldsOf(command);
  const isFlag = "flags" in taker;
  const name = isFlag ? (/[<[]([a-z]+)/.exec(taker.flags)?.[1] ?? "") : taker.name();
  const long = isFlag ? taker.long : undefined;
  if (long === "--json") return fields;
  if (long === "--sort") return ["created", "updated", ...fields];
  if (long === "--profile" || name === "profile")
    return locally((context) => Promise.resolve([...context.configured.configuration.profiles.keys()]));
  if (long === "--resume" || (name === "id" && command.parent?.name() === "recover"))
    return locally(leftoverIds);
  if (name === "key") return [...profileKeys.keys()];
  return name === "file" || name === "command" ? [file] : [];
}

async function findLocally(
  find: (context: Context) => Promise<readonly string[]>,
  { program }: Parser,
  dispatch: Dispatch,
): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const work = async (context: Context): Promise<void> => {
    found = await find(context);
  };
  // The command itself reports a mistake in the configuration.
  await dispatch(program, work, { configuration: "new-profile", announces: false }).catch(() => undefined);
  return found;
}

/** Read from file names, because reading the records would delete empty ones. */
async function leftoverIds(context: Context): Promise<readonly string[]> {
  const names = await readdir(context.stateFolder()).catch(() => []);
  return names.flatMap((name) => /^([\w-]+)\.journal$/.exec(name)?.[1] ?? []);
}
