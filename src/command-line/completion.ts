// `grantctl __complete`: completes a command line, for the scripts of all shells.
//
//   read     the words typed so far: which command, which flag or argument is next
//   offer    verbs, flags, values of a flag, fields of --json
//   values   profiles, settings and IDs of leftovers, all stored on this machine; no request is sent
//
// The candidates come from the command table, so that the scripts stay valid after an update.
import { readdir } from "node:fs/promises";
import type { Command, Option } from "commander";
import { type CommandTable, type Dispatch, childCommand, lineageOf, pathOf } from "./command.ts";
import { helpPartsOf } from "./help-sections.ts";
import { topics } from "./topics.ts";
import { defaultProfileKey } from "../commands/config/verbs.ts";
import { profileKeyNames } from "../config/settings.ts";
import { sanitise } from "../drawing/sanitise.ts";
import type { Context } from "../run/context.ts";

/**
 * The output for the scripts: a type on the first line, then one word per line, followed by a tab and its description.
 * The types: `words`, or `words nospace` if a comma may follow; `file`, with the text before the path in the
 * same word (`--output-file=`); `program`, with the position of another program whose arguments are being typed.
 */
interface Completion {
  readonly kind: string;
  readonly offers: readonly Offer[];
}

/** Dependencies: the commands, and `dispatch` to look up profiles and leftovers on this machine. */
interface CompletionContext {
  readonly commands: Pick<CommandTable, "find">;
  readonly dispatch: Dispatch;
}

/**
 * Completes a line. `current` is a `=` followed by the word at the cursor, as far as it is typed, because some shells
 * drop an empty word; `words` are the words before it, without the program's name.
 */
export async function completeLine(
  [current = "=", ...words]: readonly string[],
  completing: CompletionContext,
): Promise<string> {
  const { kind, offers } = await completionFor(current.slice(1), words, completing);
  const lines = offers.map(({ word, means }) => (means === "" ? word : `${word}\t${means}`));
  return [kind, ...lines].map((line) => `${line}\n`).join("");
}

async function completionFor(
  current: string,
  words: readonly string[],
  completing: CompletionContext,
): Promise<Completion> {
  const cursor = await readLine(words, completing.commands);
  const { command, named, waiting, isEnded, programAt, count } = cursor;
  if (programAt !== null) return { kind: `program ${programAt}`, offers: [] };
  const offer = (values: Values | null, before = ""): Promise<Completion> =>
    offerValues(values, before, current, command, completing);
  if (waiting !== null && !(waiting.optional && current.startsWith("-"))) return offer(valuesOfFlag(waiting));
  const [before] = (isEnded ? null : /^--[^=]+=/.exec(current)) ?? [];
  if (before !== undefined) {
    const flag = flagNamed(before.slice(0, -1), command);
    return offer(flag === undefined ? null : valuesOfFlag(flag), before);
  }
  if (!isEnded && current.startsWith("-")) return { kind: "words", offers: flagsLeft(cursor) };
  const names = isEnded ? [] : namesAt(cursor);
  const values = named === null ? valuesOfArgument(command, count) : null;
  if (values?.kind === "program") return { kind: `program ${words.length}`, offers: [] };
  const completion = await offer(values);
  return { ...completion, offers: [...names, ...completion.offers] };
}

/** The commands that may follow; after `help`, the topics as well. */
function namesAt({ command, named }: Cursor): readonly Offer[] {
  const isHelpAlone = command.name() === "help" && named?.parent === null;
  const ofTopics = isHelpAlone ? topics.map(({ name, summary }) => ({ word: name, means: summary })) : [];
  return [...commandOffers(named ?? command), ...ofTopics];
}

function flagsLeft({ command, given }: Cursor): readonly Offer[] {
  return flagsOf(command)
    .filter((option) => isRepeatable(option) || !formsOf(option).some((form) => given.has(form)))
    .flatMap((option) => formsOf(option).map((word) => ({ word, means: oneLine(option.description) })));
}

/** The possible values, each prefixed with `before`, the typed part of the same word (`--format=`). */
async function offerValues(
  values: Values | null,
  before: string,
  current: string,
  command: Command,
  completing: CompletionContext,
): Promise<Completion> {
  const words = (list: readonly string[], start = before): readonly Offer[] =>
    list.map((word) => ({ word: `${start}${word}`, means: "" }));
  switch (values?.kind) {
    case "file":
      return { kind: `file ${before}`.trim(), offers: [] };
    case "program":
      // The value of a flag is a whole command line in one word.
      return { kind: "program", offers: [] };
    case "words":
      return { kind: "words", offers: words(values.words) };
    case "fields": {
      const typed = current.slice(before.length);
      const list = typed.slice(0, typed.lastIndexOf(",") + 1);
      const left = helpPartsOf(command).fields.filter((field) => !list.split(",").includes(field));
      return { kind: "words nospace", offers: words(left, before + list) };
    }
    case "sort":
      return { kind: "words", offers: words(["created", "updated", ...helpPartsOf(command).fields]) };
    case "local": {
      const found = await findHere(values.source, completing);
      return { kind: "words", offers: found.map(({ word, means }) => ({ word: before + word, means })) };
    }
    case undefined:
    default:
      return { kind: "words", offers: [] };
  }
}

/** Values from this machine (profiles, leftovers), found without a request. */
async function findHere(
  source: LocalValues,
  { commands, dispatch }: CompletionContext,
): Promise<readonly Offer[]> {
  let found: readonly Offer[] = [];
  const find = async (context: Context): Promise<void> => {
    found = await findLocalValues(source, context);
  };
  // Ignore configuration errors: the command itself reports them when it runs.
  await dispatch(await commands.find(["completion"]), find, {
    configuration: "new-profile",
    announces: false,
  }).catch(() => undefined);
  return found;
}

/** The meaning of the words before the cursor, updated word by word. */
interface Cursor {
  /** The command whose flags and arguments may follow. */
  command: Command;
  /** The command that is named after `help`; null for other commands. */
  named: Command | null;
  /** The flags given so far, as typed. */
  readonly given: Set<string>;
  /** The flag whose value comes next; null if none is expected. */
  waiting: Option | null;
  count: number;
  /** True after a typed `--`. */
  isEnded: boolean;
  /** The position of another program whose own arguments are being typed, or null. */
  programAt: number | null;
}

async function readLine(words: readonly string[], commands: Pick<CommandTable, "find">): Promise<Cursor> {
  const cursor: Cursor = {
    command: await commands.find([]),
    named: null,
    given: new Set(),
    waiting: null,
    count: 0,
    isEnded: false,
    programAt: null,
  };
  for (const [index, word] of words.entries()) {
    const { command, named, waiting, isEnded } = cursor;
    cursor.waiting = null;
    if (waiting !== null && !(waiting.optional && word.startsWith("-"))) continue;
    if (!isEnded && word === "--") {
      cursor.isEnded = true;
    } else if (!isEnded && /^-./.test(word)) {
      cursor.given.add(word.replace(/=.*$/s, ""));
      const flag = flagNamed(word, command);
      if (flag !== undefined && takesValue(flag)) cursor.waiting = flag;
    } else {
      const next = isEnded ? undefined : childCommand(named ?? command, word);
      if (next === undefined) {
        if (valuesOfArgument(command, cursor.count)?.kind === "program") {
          cursor.programAt = index;
          return cursor;
        }
        cursor.count += 1;
      } else if (named !== null) {
        cursor.named = await commands.find(pathOf(next), words);
      } else {
        if (next.name() === "help") cursor.named = command;
        cursor.command = await commands.find(pathOf(next), words);
      }
    }
  }
  return cursor;
}

function flagNamed(form: string, command: Command): Option | undefined {
  return flagsOf(command).find((option) => formsOf(option).includes(form));
}

/** A candidate for the next word, with a description, which may be empty. */
interface Offer {
  readonly word: string;
  readonly means: string;
}

function commandOffers(command: Command): readonly Offer[] {
  return (
    command
      .createHelp()
      .visibleCommands(command)
      // `visibleCommands` also includes the `help` command that commander adds to a noun.
      .filter((child) => command.commands.includes(child) && isPlain(child.name()))
      .map((child) => ({ word: child.name(), means: oneLine(child.summary()) }))
  );
}

/** A command's own flags, followed by the global flags that it does not override. */
function flagsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  const inherited = lineageOf(command)
    .slice(1)
    .flatMap((ancestor) => ancestor.options.filter(({ long, hidden }) => !hidden && long !== "--version"));
  return [...own, ...inherited.filter(({ long }) => !own.some((option) => option.long === long))].filter(
    ({ long }) => long !== undefined && isPlain(long),
  );
}

function formsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((form) => form !== undefined && form !== null);
}

/** True if a flag may be repeated: then its parser takes the earlier value as a second argument. */
function isRepeatable({ argChoices, parseArg }: Option): boolean {
  return argChoices === undefined && (parseArg?.length ?? 0) > 1;
}

function takesValue({ required, optional, negate }: Option): boolean {
  return !negate && (required || optional);
}

/** The values of a flag; null for free text, and for a flag without a value. */
function valuesOfFlag({ flags, long, argChoices }: Option): Values | null {
  const name = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? "";
  return choiceValues(argChoices) ?? byFlag[long ?? ""] ?? byName[name] ?? null;
}

/** The values of the argument after `count` others; null for free text, and if the command takes no more. */
function valuesOfArgument(command: Command, count: number): Values | null {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return null;
  const name = argument.name();
  if (name === "id" && pathOf(command)[0] === "recover") return { kind: "local", source: "leftovers" };
  return choiceValues(argument.argChoices) ?? byName[name] ?? null;
}

function choiceValues(choices: readonly string[] | undefined): Values | null {
  return choices === undefined ? null : { kind: "words", words: choices.filter(isPlain) };
}

/** True if a shell reads the text as one word, and expands nothing in it. */
function isPlain(word: string): boolean {
  return /^[\w.,:@/+-]+$/.test(word);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
}

/** Values stored on this machine: profile names, IDs of leftovers, or the values of one setting. */
type LocalValues = "profiles" | "leftovers" | "base_url" | "username" | "client_id";

type Values =
  /** `program` is followed by its own arguments; `fields` is a list of JSON fields, and `sort` is one of them. */
  | { readonly kind: "file" | "program" | "fields" | "sort" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Values that are looked up on this machine when Tab is pressed. */
  | { readonly kind: "local"; readonly source: LocalValues };

/** By the name of a placeholder, such as `<file>`. */
const byName: Readonly<Record<string, Values>> = {
  file: { kind: "file" },
  command: { kind: "program" },
  key: { kind: "words", words: [...profileKeyNames, defaultProfileKey] },
};

const byFlag: Readonly<Record<string, Values>> = {
  "--json": { kind: "fields" },
  "--sort": { kind: "sort" },
  "--profile": { kind: "local", source: "profiles" },
  "--resume": { kind: "local", source: "leftovers" },
  "--base-url": { kind: "local", source: "base_url" },
  "--username": { kind: "local", source: "username" },
  "--client-id": { kind: "local", source: "client_id" },
  "--method": { kind: "words", words: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] },
};

/** Values with descriptions, without those that have control characters or that a shell would split. */
async function findLocalValues(source: LocalValues, context: Context): Promise<readonly Offer[]> {
  const found = source === "leftovers" ? await leftoverIds(context) : settingValues(source, context);
  const offers = new Map<string, Offer>();
  for (const { word, means } of found) {
    if (word === "" || sanitise(word) !== word || /\s/.test(word)) continue;
    offers.set(word, { word, means: sanitise(means).replaceAll(/\s+/g, " ") });
  }
  return [...offers.values()];
}

function settingValues(source: Exclude<LocalValues, "leftovers">, context: Context): readonly Offer[] {
  const profiles = [...context.configured.configuration.profiles];
  if (source === "profiles") {
    return profiles.map(([name, values]) => ({ word: name, means: values.base_url ?? "" }));
  }
  return profiles.map(([, values]) => ({ word: values[source] ?? "", means: "" }));
}

/** The IDs of leftovers, read from file names because `leftovers()` would delete empty journals. */
async function leftoverIds(context: Context): Promise<readonly Offer[]> {
  const names = await readdir(context.stateFolder()).catch(() => []);
  return names
    .flatMap((name) =>
      name.endsWith(".journal") ? [{ word: name.slice(0, -".journal".length), means: "" }] : [],
    )
    .toSorted((one, other) => (one.word < other.word ? -1 : 1));
}
