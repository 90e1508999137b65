// Reads a list of ids or tokens from text: a line each, or JSON (an array, or an object a line) with an `id` or
// `token` field. The whole list is checked before anything is done with it; a wrong line is named by its number and
// never repeated, because it may be a secret.
import { usageFailure } from "../errors/errors.ts";
import { exactText, parseJson } from "../exact-json.ts";

/** Fewer than a Set can hold, and more than any account has. */
const mostItems = 10_000_000;

export type ItemKind = "id" | "token";

/**
 * The items of a text, in order, each once. Throws a usage failure that names the first wrong line; `hint` says where
 * right ones are to be found.
 */
export function readItems(text: string, kind: ItemKind, hint?: string): readonly string[] {
  const content = text.replace(/^\uFEFF/, "");
  const items = content.trimStart().startsWith("[")
    ? arrayItems(content, kind, hint)
    : lineItems(content, kind, hint);
  // A list of ids comes from a filter, which may well find nothing; tokens are given because there are some.
  if (items.length === 0 && kind === "token") throw usageFailure("the list of tokens is empty");
  return [...new Set(items)];
}

/**
 * Checks an id: a positive integer in decimal digits, of any length. `where` names it in the message, and `hint` says
 * where ids are to be found.
 */
export function checkId(text: string, where = "", hint?: string): string {
  if (!/^[1-9]\d{0,39}$/.test(text)) throw usageFailure(`${where}an id is a positive integer`, hint);
  return text;
}

/** Checks a token: one word of printable ASCII, not too long to be one. The message does not repeat it. */
export function checkToken(token: string, where = ""): string {
  if (token === "") throw usageFailure(`${where}the token is empty`);
  if (token.length > 1024) throw usageFailure(`${where}this is too long for a token`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageFailure(
      `${where}this is no token: it holds a space, a control character or text beyond ASCII`,
    );
  }
  if (token === "." || token === "..") throw usageFailure(`${where}this is no token`);
  return token;
}

function lineItems(text: string, kind: ItemKind, hint?: string): string[] {
  const items: string[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const content = line.trim();
    if (content === "") continue;
    const where = `line ${index + 1}: `;
    const item = content.startsWith("{")
      ? fieldOfObject(parseLine(content, where), kind, where)
      : cellOf(content, kind);
    items.push(checkItem(item, kind, where, hint));
    if (items.length > mostItems)
      throw usageFailure(`the list has more than ${mostItems} items`, "do it in several parts");
  }
  return items;
}

/** The tab-separated lines of a list begin with the id, so that a list can be piped into a deletion as it is. */
function cellOf(line: string, kind: ItemKind): string {
  return kind === "id" ? line.replace(/\t.*$/s, "") : line;
}

function arrayItems(text: string, kind: ItemKind, hint?: string): string[] {
  const list = parseLine(text, "");
  if (!Array.isArray(list)) throw usageFailure("the list is not a JSON array");
  return list.map((entry: unknown, index) => {
    const where = `item ${index + 1}: `;
    const item = exactText(entry) ?? fieldOfObject(entry, kind, where);
    return checkItem(item, kind, where, hint);
  });
}

function parseLine(text: string, where: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw usageFailure(`${where}this is not valid JSON`);
  }
}

function fieldOfObject(value: unknown, kind: ItemKind, where: string): string {
  const field =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[kind] : undefined;
  const item = exactText(field);
  if (item === null) throw usageFailure(`${where}the object has no field ${kind}`);
  return item;
}

function checkItem(item: string, kind: ItemKind, where: string, hint?: string): string {
  return kind === "id" ? checkId(item, where, hint) : checkToken(item, where);
}
