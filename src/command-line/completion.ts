// `grantctl __complete =CURRENT WORD...`: completes a word for the scripts of the shells, after the words before it. The `=`
// keeps an empty word from being dropped by some shells. Prints one word per line, followed by a tab and its description,
// or `:file` if a file may follow.
//
// The candidates come from the command table, so that the scripts stay valid after an update. Profiles and IDs of
// interrupted runs are read from this machine; no request is sent.
import type { Argument, Command, Option } from "commander";
import { readRunConfiguration } from "../config/profiles.ts";
import { recordIds, stateFolder } from "../config/folders.ts";
import { profileKeys } from "../config/settings.ts";
import type { Parser } from "../program.ts";
import type { Host } from "../system/host.ts";
import { childCommand } from "./command.ts";
import { jsonFieldsOf } from "./help.ts";
import { topics } from "./topics.ts";

const file = ":file";

export async function completeLine(
  [current = "=", ...before]: readonly string[],
  parser: Parser,
  host: Host,
): Promise<string> {
  // bash takes `--profile=work` for three words.
  const typed = current === "==" ? "" : current.slice(1);
  const words = before.filter((word) => word !== "=");
  const offers = await offersAfter(words, typed, parser, host);
  // Of a list, such as that of --json, the last word is completed.
  const [listed = ""] = /^.*,/.exec(typed) ?? [];
  return offers
    .map((offer) => (offer === file ? offer : listed + offer))
    .filter((offer) => offer === file || offer.startsWith(typed))
    .map((offer) => `${offer}\n`)
    .join("");
}

async function offersAfter(
  words: readonly string[],
  typed: string,
  { program, commands }: Parser,
  host: Host,
): Promise<readonly string[]> {
  // The words after it belong to another program.
  if (words.includes("--")) return [file];
  const isHelp = words[0] === "help";
  let command = program;
  let count = 0;
  /** The flag whose value comes next. */
  let waiting: Option | undefined;
  const isValue = (word: string): boolean =>
    waiting !== undefined && !(waiting.optional && word.startsWith("-"));
  for (const word of isHelp ? words.slice(1) : words) {
    const child = childCommand(command, word);
    if (isValue(word)) waiting = undefined;
    else if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
      waiting = option?.required === true || option?.optional === true ? option : undefined;
    } else if (child === undefined) count += 1;
    else {
      await commands.define(child);
      command = child;
    }
  }
  if (waiting !== undefined && isValue(typed)) return valuesOf(waiting, command, host);
  if (typed.startsWith("-"))
    return optionsOf(command).map(({ long, description }) => `${long}\t${description}`);
  const names = command.commands.map((child) => `${child.name()}\t${child.summary()}`);
  if (isHelp) return command === program ? [...names, ...Object.keys(topics)] : names;
  if (names.length > 0) return names;
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[count] ?? (last?.variadic === true ? last : undefined);
  if (argument !== undefined) return valuesOf(argument, command, host);
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
function valuesOf(taker: Option | Argument, command: Command, host: Host): readonly string[] {
  if (taker.argChoices !== undefined) return taker.argChoices;
  const isFlag = "flags" in taker;
  const name = isFlag ? (/[<[]([a-z]+)[>\]]/.exec(taker.flags)?.[1] ?? "") : taker.name();
  const long = isFlag ? taker.long : undefined;
  if (name === "file" || name === "command") return [file];
  if (name === "key") return [...profileKeys.keys()];
  if (name === "fields" || name === "field") return jsonFieldsOf(command);
  try {
    if (long === "--profile" || name === "profile")
      return [...readRunConfiguration(undefined, host, "new-profile").configuration.profiles.keys()];
    if (long === "--resume" || (name === "id" && command.parent?.name() === "recover"))
      return recordIds(stateFolder(host));
  } catch {
    // The command itself reports a mistake in the configuration.
  }
  return [];
}
