// `grantctl __complete`: the words that may be typed at the cursor, for the scripts of all shells. The words come from
// the command table, so the scripts need not change after an update. Asks no service.
import type { Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { CommandTable } from "../command-table.ts";
import type { Dispatch } from "../command.ts";
import { topics } from "../pages/topics.ts";
import { findLocalValues } from "./local-values.ts";
import { argumentAt, flagNamed, readLine, type Place } from "./read-line.ts";
import type { LocalValues, Values } from "./values.ts";
import {
  commandOffers,
  flagOffers,
  flagsOf,
  formsOf,
  isRepeatable,
  pathOf,
  valuesOfArgument,
  valuesOfFlag,
  type Offer,
} from "./offers.ts";

/**
 * An answer: its kind on the first line, then one word a line, followed by a tab and its description. The kinds:
 * `words`, or `words nospace` where a comma may follow; `file` and `folder`, with the text before the path in the same
 * word (`--output-file=`); `program`, with the position of another program whose own arguments are being typed.
 */
interface Answer {
  readonly kind: string;
  readonly offers: readonly Offer[];
}

const nothing: Answer = { kind: "words", offers: [] };

/** What completion needs: the commands, and `dispatch` to look up profiles and leftovers on this machine. */
export interface Completing {
  readonly commands: Pick<CommandTable, "find">;
  readonly dispatch: Dispatch;
}

/**
 * The answer for a line: `current` is a `=` and the word at the cursor, as far as it is typed, because some shells drop
 * an empty word; `words` are the words before it, without the program's name.
 */
export async function completeLine(
  [current = "=", ...words]: readonly string[],
  completing: Completing,
): Promise<string> {
  const { kind, offers } = await answerFor(current.slice(1), words, completing);
  const lines = offers.map(({ word, means }) => (means === "" ? word : `${word}\t${means}`));
  return [kind, ...lines].map((line) => `${line}\n`).join("");
}

async function answerFor(current: string, words: readonly string[], completing: Completing): Promise<Answer> {
  const place = await readLine(words, completing.commands);
  const { command, named, waiting, isEnded, programAt, count } = place;
  if (programAt !== null) return { kind: `program ${programAt}`, offers: [] };
  if (waiting !== null && !(waiting.optional && current.startsWith("-"))) {
    return offerValues(valuesOfFlag(waiting), "", current, place, completing);
  }
  if (!isEnded && /^--[^=]+=/.test(current)) {
    const form = current.slice(0, current.indexOf("="));
    const flag = flagNamed(form, command);
    return offerValues(
      flag === undefined ? null : valuesOfFlag(flag),
      `${form}=`,
      current,
      place,
      completing,
    );
  }
  if (!isEnded && current.startsWith("-")) return { kind: "words", offers: flagsLeft(place) };
  const names = isEnded ? [] : namesAt(place);
  const argument = named === null ? argumentAt(command, count) : undefined;
  if (argument === undefined) return { kind: "words", offers: names };
  const values = valuesOfArgument(argument, pathOf(command));
  if (values.kind === "program") return { kind: `program ${words.length}`, offers: [] };
  const answer = await offerValues(values, "", current, place, completing);
  return { ...answer, offers: [...names, ...answer.offers] };
}

/** The commands that may follow; after `help`, the topics as well. */
function namesAt({ command, named }: Place): readonly Offer[] {
  const isHelpAlone = command.name() === "help" && named?.parent === null;
  const ofTopics = isHelpAlone ? topics.map(({ name, summary }) => ({ word: name, means: summary })) : [];
  return [...commandOffers(named ?? command), ...ofTopics];
}

function flagsLeft({ command, given }: Place): readonly Offer[] {
  return flagsOf(command)
    .filter((option) => isRepeatable(option) || !formsOf(option).some((form) => given.has(form)))
    .flatMap(flagOffers);
}

/** The values that may be typed, each with `before` in front, which is the rest of the same word (`--format=`). */
async function offerValues(
  values: Values | null,
  before: string,
  current: string,
  { command, waiting }: Place,
  completing: Completing,
): Promise<Answer> {
  const flag = before === "" ? waiting : flagNamed(before.slice(0, -1), command);
  const ofCommand = await fieldsFor(flag?.long, command);
  const words = (list: readonly string[], start = before): readonly Offer[] =>
    list.map((word) => ({ word: `${start}${word}`, means: "" }));
  if (flag?.long === "--json") {
    const typed = current.slice(before.length);
    const list = typed.slice(0, typed.lastIndexOf(",") + 1);
    const left = ofCommand.filter((field) => !list.split(",").includes(field));
    return { kind: "words nospace", offers: words(left, before + list) };
  }
  if (flag?.long === "--sort") return { kind: "words", offers: words(["created", "updated", ...ofCommand]) };
  switch (values?.kind) {
    case "file":
    case "folder":
      return { kind: `${values.kind} ${before}`.trim(), offers: [] };
    case "program":
      // The value of a flag is a whole command line in one word.
      return { kind: "program", offers: [] };
    case "words":
      return { kind: "words", offers: words(values.words) };
    case "local": {
      const found = await findHere(values.of, completing);
      return { kind: "words", offers: found.map(({ word, means }) => ({ word: before + word, means })) };
    }
    case "text":
    case undefined:
    default:
      return nothing;
  }
}

/** Values from this machine (profiles, leftovers), found by a run that asks no service. */
async function findHere(of: LocalValues, { commands, dispatch }: Completing): Promise<readonly Offer[]> {
  let found: readonly Offer[] = [];
  const find = async (context: Context): Promise<void> => {
    found = await findLocalValues(of, context);
  };
  // A mistake in the configuration is reported by the command itself, when it is run.
  await dispatch(await commands.find(["completion"]), find, "new-profile").catch(() => undefined);
  return found;
}

/** The fields of a command's JSON, for the flags that take them. */
async function fieldsFor(long: string | undefined, command: Command): Promise<readonly string[]> {
  if (long !== "--json" && long !== "--sort") return [];
  const { jsonFieldsOf } = await import("../../commands/outputs.ts");
  return jsonFieldsOf(pathOf(command).join(" "));
}
