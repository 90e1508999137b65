// The items of a question with their names, the server's URL, and everything else that a deletion deletes.
import type { Authorization } from "../api/resources.ts";
import { sanitise } from "../output/sanitise.ts";
import { shorten } from "../errors/words.ts";
import { toJson } from "../json.ts";
import { namesOfAuthorization } from "../output/resources.ts";

export interface NamedItem {
  readonly id: string;
  /** Its name first, then its application or account; empty if they are unknown. */
  readonly names: readonly string[];
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

/** The deletion of the items and its effect; continues "would …". */
export function deletionInWords(
  items: readonly NamedItem[],
  serverUrl: string,
  { name, effect }: DeletionWords,
): string {
  const isOne = items.length === 1;
  const what = isOne ? `${name} ${items[0]?.id ?? ""}` : `${items.length} ${name}s`;
  return `delete ${what}${namesInBrackets(items)} at ${serverUrl} ${isOne ? effect.ofOne : effect.ofMany}`;
}

/** The names of items after a space, if there is more than one with their IDs; empty for one without names. */
export function namesInBrackets(items: readonly NamedItem[]): string {
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

/** At most ten phrases, and how many of `count` are left out. */
export function firstOf(phrases: readonly string[], count = phrases.length): string {
  const named = phrases.slice(0, mostNamed).join(", ");
  return count > mostNamed ? `${named}, and ${count - mostNamed} more` : named;
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
