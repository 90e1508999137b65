// The items of a question with their names, for which at most ten are read, the server's URL, and everything else that the
// action does.
import type { Authorization } from "../api/resources.ts";
import { sanitise } from "../output/sanitise.ts";
import { isFailure, type FailureKind } from "../errors/errors.ts";
import { capitalised, counted, firstOf, mostNamed, shorten } from "../errors/words.ts";
import { toJson } from "../json.ts";
import { namesOfAuthorization } from "../output/resources.ts";
import type { Context } from "../run/context.ts";

interface NamedItem {
  readonly id: string;
  /** Its name first, then its application or account; empty if they are unknown. */
  readonly names: readonly string[];
}

export interface ActionWords<Item> {
  /** The type of item, in the singular. */
  readonly name: string;
  /** What else is done; continues "Delete grant 42 …" and "Delete 2 grants …". */
  readonly effect: { readonly ofOne: string; readonly ofMany: string };
  /** The names that a person recognises, such as the item's note and its application; empty if it has none. */
  readonly namesOf: (item: Item) => readonly string[];
}

const longestName = 40;

/** An action on items, of which some are known, and its effect; continues "would …". Null for items that a table names. */
export function actionInWords<Item>(
  verb: string,
  { ids, known }: { readonly ids: readonly string[]; readonly known: ReadonlyMap<string, Item> | null },
  { name, effect, namesOf }: ActionWords<Item>,
  { server }: Pick<Context, "server">,
): string {
  const items = ids.map((id) => {
    const item = known?.get(id);
    return { id, names: item === undefined ? [] : namesOf(item) };
  });
  const isOne = ids.length === 1;
  const what = isOne ? `${name} ${ids[0] ?? ""}` : counted(ids.length, name);
  return `${verb} ${what}${known === null ? "" : namesInBrackets(items)} at ${server.origin().href} ${isOne ? effect.ofOne : effect.ofMany}`;
}

/** The names of items after a space, if there is more than one with their IDs; empty for one without names. */
function namesInBrackets(items: readonly NamedItem[]): string {
  const phrases = items
    .slice(0, mostNamed)
    .map(({ id, names }) =>
      [items.length === 1 ? "" : id, names.map(quoteName).join(" of ")]
        .filter((part) => part !== "")
        .join(" "),
    );
  if (phrases.every((phrase) => phrase === "")) return "";
  return ` (${firstOf(phrases, items.length)})`;
}

/** The number of IDs, which is to be typed for many that the words of a command line do not name one by one; or undefined. */
function countToType(ids: readonly string[], words: readonly string[]): number | undefined {
  if (ids.length <= mostNamed) return undefined;
  const named = new Set(words);
  return ids.every((id) => named.has(id)) ? undefined : ids.length;
}

/** An authorization with its ID and its names. */
export function authorizationInWords(authorization: Authorization): string {
  const id = toJson(authorization.id, 0);
  return `authorization ${id}${namesInBrackets([{ id, names: namesOfAuthorization(authorization) }])}`;
}

/** A name in quotation marks and truncated. */
export function quoteName(name: string): string {
  // Sanitised before it is truncated, because an escape is longer than the character that it stands for.
  return `"${shorten(sanitise(name), longestName)}"`;
}

/** Failures that the change would have as well; they end the run before the question. */
const conclusive: readonly FailureKind[] = ["authentication", "otp", "sso", "network", "usage", "internal"];

/** The question about a job, and what it needs. */
interface ItemsQuestion<Item> {
  /** Reads an item for its names; null if the server has none. */
  readonly read: ((id: string) => Promise<Item>) | null;
  /** Items that need not be read; gets those that are. */
  readonly known?: Map<string, Item>;
  readonly inWords: (known: ReadonlyMap<string, Item>) => string;
  /** The words of the command line, which may name the items one by one. */
  readonly words: readonly string[];
  /** What a no means, as in "nothing was deleted". */
  readonly outcome?: string;
}

/**
 * Prompts for confirmation of a job, with the names of up to ten items. Leaves out the names of those that cannot be read,
 * which need not stop the change. Throws a usage failure unless the user confirms.
 */
export async function confirmItems<Item extends object>(
  ids: readonly string[],
  { read, known = new Map<string, Item>(), inWords, words, outcome }: ItemsQuestion<Item>,
  context: Context,
): Promise<void> {
  if (ids.length === 0 || context.options.yes === true) return;
  const unnamed = ids.slice(0, mostNamed).filter((id) => !known.has(id));
  await Promise.all(
    unnamed.map(async (id) => {
      try {
        if (read !== null) known.set(id, await read(id));
      } catch (error) {
        if (!isFailure(error) || conclusive.includes(error.kind)) throw error;
      }
    }),
  );
  await context.confirm(`${capitalised(inWords(known))}?`, outcome, countToType(ids, words));
}
