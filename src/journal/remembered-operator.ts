// The operator of an earlier run, read from the head of its journal before this run is set up: a resumed job keeps its
// operator, even if the configuration has changed since.
import { join } from "node:path";
import { readBeginning } from "../files/bounded-reads.ts";
import { isObject } from "../json/exact-json.ts";
import { parseOrNull } from "../json/parse-or-null.ts";
import { findOperator, type OperatorName } from "../operators.ts";

/** The path of a journal, from its ID or from its path. */
export function journalPath(folder: () => string, idOrPath: string): string {
  return /^[\w-]+$/.test(idOrPath) ? join(folder(), `${idOrPath}.journal`) : idOrPath;
}

/** More bytes than any head has. */
const mostBytes = 8 * 1024;

/** The operator in the head of a journal; null where there is none, or where the file is no journal. */
export async function rememberedOperator(path: string): Promise<OperatorName | null> {
  const text = await readBeginning(path, mostBytes).then(String, () => "");
  const line = text.slice(0, Math.max(0, text.indexOf("\n")));
  const head = parseOrNull(line.slice(line.indexOf("{")));
  return isObject(head) && typeof head["operator"] === "string"
    ? (findOperator(head["operator"])?.name ?? null)
    : null;
}
