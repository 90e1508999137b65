// The operator that an earlier run used, read from the head of its journal before this run is set up: a job that is
// taken up again keeps its operator, whatever is configured by now.
import { join } from "node:path";
import { readBeginning } from "../files/bounded-reads.ts";
import { findOperator, type OperatorName } from "../operators.ts";

/** The path of a journal that is named by its id, or by its path. */
export function journalPath(folder: () => string, idOrPath: string): string {
  return /^[\w-]+$/.test(idOrPath) ? join(folder(), `${idOrPath}.journal`) : idOrPath;
}

/** Longer than any head. */
const mostBytes = 8 * 1024;

/** The operator in the head of a journal; null where there is none, or where the file is no journal. */
export async function rememberedOperator(path: string): Promise<OperatorName | null> {
  const text = await readBeginning(path, mostBytes).then(String, () => "");
  const line = text.slice(0, Math.max(0, text.indexOf("\n")));
  const head = parseHead(line.slice(line.indexOf("{")));
  return typeof head["operator"] === "string" ? (findOperator(head["operator"])?.name ?? null) : null;
}

function parseHead(text: string): Readonly<Record<string, unknown>> {
  try {
    const head: unknown = JSON.parse(text);
    return typeof head === "object" && head !== null ? { ...head } : {};
  } catch {
    return {};
  }
}
