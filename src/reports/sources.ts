// The places where a report found a secret, without the secret itself.
import type { Source } from "./sources-schema.ts";
import { tokensIn } from "./tokens-in.ts";

/** The longest text that is passed on. A path cannot be longer; a longer text may be a copy of the file. */
const longestText = 4096;

/** The user name and password of an address (RFC 3986, 3.2.1), with the token taken out already. */
const login = /(?<=:\/\/)(?:\(the token\)|[^/?#\s])*@/g;

/**
 * A text of a report if it may be passed on: not empty, not too long, and without the secret and the tokens in it, and
 * the login of an address, with which a scanner may have cloned. Otherwise null.
 */
export function carriedText(value: unknown, secret: string): string | null {
  if (typeof value !== "string" || value === "" || value.length > longestText) return null;
  const hidden = [secret, ...tokensIn(secret)].filter((text) => text !== "");
  return hidden.reduce((text, part) => text.replaceAll(part, "(the token)"), value).replaceAll(login, "");
}

/** A line's number; null for anything else, and for the 0 of tools that do not know it. */
export function lineNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The places in a few words: the first, and how many more there are. */
export function placesInWords(sources: readonly Source[] | undefined): string {
  const [first, ...others] = sources ?? [];
  if (first === undefined) return "";
  const place = first.file === null ? null : endOf(first.file);
  const name = place ?? first.url ?? first.rule ?? first.tool;
  const line = first.file === null || first.line === null ? "" : `:${first.line}`;
  return `${name}${line}${others.length === 0 ? "" : ` +${others.length}`}`;
}

/** Folders before this are left out: the file and its line are what a person looks for, and stand at the end. */
const widestPath = 30;

/** The file with as many of the folders around it as there is room for. */
function endOf(path: string): string {
  const parts = path.split("/");
  let end = parts.pop() ?? "";
  if (path.length <= widestPath) return path;
  for (let folder = parts.pop(); folder !== undefined; folder = parts.pop()) {
    if (end.length + folder.length + 3 > widestPath) return `…/${end}`;
    end = `${folder}/${end}`;
  }
  return end;
}
