// The applications that are known to have access: one client ID or name per line, `#` begins a comment. A name matches in
// any case, as in `list --app`; a client ID is the safer one, because an application chooses its name itself.
import { usageFailure } from "../errors/errors.ts";
import { readInputFile, readPlainFile } from "../files/bounded-reads.ts";
import { isInheritedDescriptor } from "../files/trusted.ts";
import { foldCase } from "../drawing/fold-text.ts";
import type { Item } from "./item.ts";
import { remember } from "./remember.ts";

/** Whether the application behind an item is known. */
export type IsKnown = (item: Pick<Item, "application" | "clientId">) => boolean;

const mostBytes = 64 * 1024 * 1024;

/** Reads the file of --known. Throws a usage failure where it cannot be read. */
export async function readKnownFile(path: string): Promise<IsKnown> {
  const read = isInheritedDescriptor(path) ? readInputFile : readPlainFile;
  try {
    return parseKnown(new TextDecoder("utf-8", { fatal: true }).decode(await read(path, mostBytes)));
  } catch (error) {
    const reason = error instanceof TypeError ? "it is not UTF-8" : (error as Error).message;
    throw usageFailure(
      `--known ${path} cannot be read (${reason})`,
      "it has one client ID or application name a line",
    );
  }
}

/** Tells whether something belongs to an application that the file's text names. */
function parseKnown(text: string): IsKnown {
  const entries = text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    // A `#` next to a word is part of the name, as in C# and Team #1.
    .map((line) => line.replace(/^\s*#.*$|\s#(?:\s.*)?$/, "").trim())
    .filter((line) => line !== "");
  const clientIds = new Set(entries);
  const names = new Set(entries.map(foldCase));
  const isKnownName = remember((name: string) => names.has(foldCase(name)));
  return ({ application, clientId }) =>
    (clientId !== null && clientIds.has(clientId)) || (application !== null && isKnownName(application));
}
