// The operator of an earlier run, read from the head of its journal before this run is set up: a resumed job keeps its
// operator, even if the configuration has changed since.
import { join } from "node:path";
import { plainFilePieces } from "../files/bounded-reads.ts";
import { isObject } from "../json/exact-json.ts";
import { parseOrNull } from "../json/parse-or-null.ts";
import { findOperator, type OperatorName } from "../operators.ts";

/** The path of a journal, from its ID or from its path. */
export function journalPath(folder: () => string, idOrPath: string): string {
  return /^[\w-]+$/.test(idOrPath) ? join(folder(), `${idOrPath}.journal`) : idOrPath;
}

/** The operator in the head of a journal; null where there is none, or where the file is no journal. */
export async function rememberedOperator(path: string): Promise<OperatorName | null> {
  const line = await firstLine(path).catch(() => "");
  const head = parseOrNull(line.slice(line.indexOf("{")));
  return isObject(head) && typeof head["operator"] === "string"
    ? (findOperator(head["operator"])?.name ?? null)
    : null;
}

/** The first line of a file; the first piece is longer than any head. */
async function firstLine(path: string): Promise<string> {
  for await (const piece of plainFilePieces(path, Number.POSITIVE_INFINITY)) {
    return piece.toString("utf8", 0, Math.max(0, piece.indexOf("\n")));
  }
  return "";
}
