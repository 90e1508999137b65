// Reads IDs from the arguments, or for `-` from standard input: one per line, or JSON (an array, or one object per
// line) with an `id` field. The whole list is checked before any of it is used. A message names an invalid line by its
// number and never repeats it, because it may be a secret.
import { usageFailure } from "../errors/errors.ts";
import { exactText, isObject, parseJson } from "../json/exact-json.ts";
import type { Context } from "../run/context.ts";

/** Fewer than a Set can hold, and more than any account has. */
const mostItems = 10_000_000;

export type ListedThing = "grant" | "authorization";

/** The end of an item's `url`, which reveals the type of its ID. */
const urlPatterns: Readonly<Record<ListedThing, RegExp>> = {
  grant: /\/applications\/grants\/\d+$/,
  authorization: /\/authorizations\/\d+$/,
};

interface Expected {
  /** The type of the IDs. JSON of the other type is rejected, because its IDs are also numbers. */
  readonly thing?: ListedThing;
  /**
   * The verb of the command, if grants and authorizations both have it: the message can then name the right command.
   */
  readonly verb?: string;
  readonly hint?: string;
  /** Called with the number of repeated items that were left out, if there are any. */
  readonly onRepeats?: (count: number) => void;
  /** Maximum number of items; ten million by default. */
  readonly most?: number;
}

/** The IDs without duplicates. Throws a usage failure that names the first invalid one. */
export async function readIds(
  words: readonly string[],
  context: Context,
  name: ListedThing,
  verb: string,
): Promise<readonly string[]> {
  const hint = `Run \`grantctl ${name} list\` to see the IDs.`;
  const nameHint = `Run \`grantctl ${name} list --app NAME\` to see the IDs of an application.`;
  const onRepeats = noteRepeats("id", context.notices);
  if (!words.includes("-")) {
    const placeOf = (index: number): string => (words.length > 1 ? `argument ${index + 1}: ` : "");
    return withoutRepeats(
      words.map((word, index) => parseId(word, placeOf(index), nameHint)),
      onRepeats,
    );
  }
  if (words.length > 1)
    throw usageFailure(
      "- cannot be combined with IDs: pass them on standard input or as arguments, not both",
    );
  // Otherwise the password would be read as the first id.
  if (context.options.passwordStdin === true)
    throw usageFailure("standard input cannot contain both the IDs and the password");
  const expected = { thing: name, verb, hint, onRepeats };
  return parseIds(await context.standardInput.read("the IDs"), expected);
}

/** The IDs in a text, in order, without duplicates. Throws a usage failure that names the first invalid line. */
export function parseIds(text: string, expected: Expected = {}): readonly string[] {
  const content = text.replace(/^\uFEFF/, "");
  // An empty list is valid: it may come from a filter that found nothing.
  const items = content.trimStart().startsWith("[")
    ? parseArray(content, expected)
    : parseLines(content, expected);
  return withoutRepeats(items, expected.onRepeats);
}

/**
 * Removes duplicates, keeping the first of each. Passes the number of removed items to `onRepeats`, if there are any.
 */
function withoutRepeats(
  items: readonly string[],
  onRepeats: ((count: number) => void) | undefined,
): readonly string[] {
  const unique = [...new Set(items)];
  if (unique.length < items.length) onRepeats?.(items.length - unique.length);
  return unique;
}

/** An `onRepeats` that prints a note. */
export function noteRepeats(
  kind: "id" | "token",
  { note }: { readonly note: (line: string) => void },
): (count: number) => void {
  return (count: number): void => {
    note(count === 1 ? `skipped 1 duplicate ${kind}` : `skipped ${count} duplicate ${kind}s`);
  };
}

/**
 * Checks that an ID is a positive integer in decimal digits, and returns it unchanged. Throws a usage failure
 * otherwise; `where` prefixes its message.
 */
export function parseId(text: string, where = "", hint?: string): string {
  if (!/^[1-9]\d{0,39}$/.test(text)) throw usageFailure(`${where}an ID must be a positive integer`, hint);
  return text;
}

function parseLines(text: string, expected: Expected): string[] {
  const { most = mostItems } = expected;
  const items: string[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const content = line.trim();
    if (content === "") continue;
    const where = `line ${index + 1}: `;
    const item = content.startsWith("{")
      ? readIdField(parseLine(content, where), where, expected)
      : // The tab-separated lines of `list` begin with the ID and can be piped in.
        content.replace(/\t.*$/s, "");
    items.push(parseId(item, where, expected.hint));
    if (items.length > most)
      throw usageFailure(`the list has more than ${most} items`, "Split it into smaller parts.");
  }
  return items;
}

function parseArray(text: string, expected: Expected): string[] {
  const list = parseLine(text, "");
  if (!Array.isArray(list)) throw usageFailure("the list is not a JSON array");
  return list.map((entry: unknown, index) => {
    const where = `item ${index + 1}: `;
    const item = itemText(entry) ?? readIdField(entry, where, expected);
    return parseId(item, where, expected.hint);
  });
}

function parseLine(text: string, where: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw usageFailure(`${where}this is not valid JSON`);
  }
}

function readIdField(value: unknown, where: string, { thing, verb }: Expected): string {
  const object = isObject(value) ? value : {};
  if (thing !== undefined) checkItemType(object["url"], thing, where, verb);
  const item = itemText(object["id"]);
  if (item === null) throw usageFailure(`${where}the object has no field id`);
  return item;
}

/** A string, or the digits of a number; null for anything else. Programs that only have doubles write 42 as 42.0. */
function itemText(value: unknown): string | null {
  return typeof value === "string" ? value : (exactText(value)?.replace(/\.0+$/, "") ?? null);
}

/** Throws a usage failure if `url` shows that an ID is of the other type; any other value passes. */
function checkItemType(url: unknown, thing: ListedThing, where: string, verb: string | undefined): void {
  const other: ListedThing = thing === "grant" ? "authorization" : "grant";
  if (typeof url !== "string" || !urlPatterns[other].test(url)) return;
  throw usageFailure(
    `${where}this is ${withArticle(other)}, not ${withArticle(thing)}`,
    verb === "delete" ? `Run \`grantctl ${other} delete -\` to delete it.` : undefined,
  );
}

function withArticle(thing: ListedThing): string {
  return thing === "grant" ? "a grant" : "an authorization";
}
