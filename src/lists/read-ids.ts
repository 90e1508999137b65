// Reads IDs from the arguments, or for `-` from standard input: one per line, or JSON (an array, or an object per line) with
// a field `id`. All are checked before any is used. A message names an invalid line by its number: it may be a secret.
import type { ResourceName } from "../api/resources.ts";
import { usageFailure } from "../errors/errors.ts";
import { authorizations, grants } from "../nouns.ts";
import { noteRepeats } from "../output/notices.ts";
import { exactText, isObject, parseJson, textOf } from "../json.ts";
import type { Context } from "../run/context.ts";

/** The IDs without repeats. Throws a usage failure that names the first invalid one. */
export async function readIds(
  words: readonly string[],
  context: Context,
  resource: ResourceName,
): Promise<readonly string[]> {
  const hint = `Run \`grantctl ${resource} list\` to see the IDs, with --app NAME those of one application.`;
  let ids: readonly string[];
  if (!words.includes("-"))
    ids = words.map((word, index) => parseId(word, words.length > 1 ? `argument ${index + 1}: ` : "", hint));
  else if (words.length > 1)
    throw usageFailure(
      "- cannot be combined with IDs: pass them on standard input or as arguments, not both",
    );
  // Otherwise the password would be read as the first ID.
  else if (context.options.passwordStdin === true)
    throw usageFailure("standard input cannot contain both the IDs and the password");
  else ids = parseIds(await context.standardInput.read("the IDs"), resource, hint);
  const unique = [...new Set(ids)];
  noteRepeats("id", ids.length - unique.length, context.notices);
  return unique;
}

/** The IDs in a text, in order. Throws a usage failure that names the first invalid line. */
function parseIds(text: string, resource: ResourceName, hint: string): readonly string[] {
  const content = text.replace(/^\uFEFF/, "");
  // An empty list is valid: it may come from a filter that found nothing.
  if (!content.trimStart().startsWith("["))
    return content.split(/\r\n|\n|\r/).flatMap((line, index) => {
      const where = `line ${index + 1}: `;
      const word = line.trim();
      if (word === "") return [];
      if (line.split("\t").length === others[resource].presentation.columns.length)
        throw usageFailure(`${where}this is not ${resourceNames[resource]}`, hint);
      // The tab-separated lines of `list` begin with the ID and can be piped in.
      const entry: unknown = word.startsWith("{") ? parseLine(word, where) : word.replace(/\t.*$/s, "");
      return parseId(idOf(entry, where, resource), where, hint);
    });
  const list = parseLine(content, "");
  if (!Array.isArray(list)) throw usageFailure("the list is not a JSON array");
  return list.map((entry: unknown, index) => {
    const where = `item ${index + 1}: `;
    return parseId(idOf(entry, where, resource), where, hint);
  });
}

/**
 * Checks that an ID is a positive integer in decimal digits, and returns it unchanged. Throws a usage failure
 * otherwise; `where` prefixes its message.
 */
export function parseId(text: string, where = "", hint?: string): string {
  if (!/^[1-9]\d{0,39}$/.test(text)) throw usageFailure(`${where}an ID must be a positive integer`, hint);
  return text;
}

function parseLine(text: string, where: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw usageFailure(`${where}this is not valid JSON`);
  }
}

/** The ID itself, or the field `id` of an object, unless that is another resource: the IDs of both are small numbers. */
function idOf(entry: unknown, where: string, resource: ResourceName): string {
  if (isObject(entry) && resourceOf(entry, resource) !== resource)
    throw usageFailure(`${where}this is not ${resourceNames[resource]}`);
  const id = exactText(entry) === null && isObject(entry) ? entry["id"] : entry;
  // A program that only has doubles writes 42 as 42.0.
  const text = typeof id === "string" ? id : (exactText(id)?.replace(/\.0+$/, "") ?? null);
  if (text === null) throw usageFailure(`${where}the object has no field id`);
  return text;
}

/** Lines of the other list are told by their columns, because the IDs of both are small numbers. */
const others = { grant: authorizations, authorization: grants };
const resourceNames = { grant: "a grant", authorization: "an authorization" };

/** The resource that an object is: its `resource` in an audit, or that of its URL; by default the command's own. */
function resourceOf(entry: Readonly<Record<string, unknown>>, resource: ResourceName): unknown {
  if (typeof entry["resource"] === "string") return entry["resource"];
  return /\/(grant|authorization)s\/\d+$/.exec(textOf(entry["url"]) ?? "")?.[1] ?? resource;
}
