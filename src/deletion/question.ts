// The confirmation prompt of a deletion: the items with their names, the server's URL, and everything else that the
// deletion deletes. Items that this machine itself uses come first.
import type { Authorization } from "../api/resources.ts";
import { sanitise } from "../output/sanitise.ts";
import { both, capitalised, shorten } from "../errors/words.ts";
import { toJson } from "../json.ts";
import { namesOfAuthorization } from "../output/resources.ts";

export interface NamedItem {
  readonly id: string;
  /** Its name first, then its application or account; empty if the server reports neither. */
  readonly names: readonly string[];
  /** How this machine uses it, as in "the token in GRANTCTL_TOKEN", or null. */
  readonly inUse: string | null;
}

export interface DeletionWords {
  /** The type of item, in the singular. */
  readonly name: string;
  /** The side effects of the deletion; continues "Delete grant 42 …" and "Delete 2 grants …". */
  readonly effect: { readonly ofOne: string; readonly ofMany: string };
}

/** Maximum number of items to name; the rest are only counted. */
export const mostNamed = 10;
const longestName = 40;

/** The question. `absent` are IDs that the server does not find. */
export function deletionQuestion(
  items: readonly NamedItem[],
  serverUrl: string,
  words: DeletionWords,
  absent: readonly string[],
): string {
  const isOne = items.length === 1;
  const own = items.filter(({ inUse }) => inUse !== null);
  const warnings = own
    .slice(0, mostNamed)
    .map(({ id, inUse }) => `${isOne ? "This" : `${words.name} ${id}`} is ${inUse ?? ""}. `)
    .map(capitalised);
  return `${absentInWords(absent, words.name)}${warnings.join("")}Delete ${deletionInWords(items, serverUrl, words)}?`;
}

/** A sentence about the IDs that the server does not find; empty if there are none. */
function absentInWords(absent: readonly string[], name: string): string {
  if (absent.length === 0) return "";
  const more = absent.length - mostNamed;
  const named = `${absent.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return absent.length === 1
    ? `${capitalised(name)} ${named} does not exist. `
    : `${absent.length} ${name}s do not exist: ${named}. `;
}

/** The items and the effect of their deletion. */
export function deletionInWords(
  items: readonly NamedItem[],
  serverUrl: string,
  words: DeletionWords,
): string {
  const [only] = items;
  const isOne = items.length === 1;
  const what = isOne ? `${words.name} ${only?.id ?? ""}` : `${items.length} ${words.name}s`;
  const effect = isOne ? words.effect.ofOne : words.effect.ofMany;
  return `${what}${namesInBrackets(items)} at ${serverUrl} ${effect}`;
}

/**
 * The first `mostNamed` names after a space; empty if there are none. IDs distinguish items
 * with the same name.
 */
export function namesInBrackets(items: readonly Pick<NamedItem, "id" | "names">[]): string {
  if (items.every(({ names }) => names.length === 0)) return "";
  const shown = items.slice(0, mostNamed);
  const byPhrase = groupBy(shown, ({ id, names }) =>
    names.length === 0 ? id : names.map(quoteName).join(" of "),
  );
  const phrases = [...byPhrase].map(([phrase, own]) =>
    own.length === 1 ? phrase : `${phrase}: ${both(own.map(({ id }) => id))}`,
  );
  const more = items.length - shown.length;
  return ` (${phrases.join(", ")}${more === 0 ? "" : `, and ${more} more`})`;
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

/** The items of each key, in the order of their first items. `Map.groupBy` is missing in Node 20. */
function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
