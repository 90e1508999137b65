// File names in the state folder, and the one field of a journal that is read before a run is set up. Imports little,
// because every run with --resume loads this module first.
//
//   ID.journal             the records of one job (journals.ts); ID is YYYYMMDD-HHMMSS-RANDOM
//   ID.journal.lock        held by the run that writes the journal
//   ID.journal.command     held on behalf of the process that runs the command of `authorization run`
//   ID.journal.announced   when the leftover was last announced
//   ID.journal.RANDOM      a draft: a journal that was being rewritten when its run was killed
import { join } from "node:path";
import { plainFilePieces } from "../files/bounded-reads.ts";
import type { FolderPurpose } from "../files/trusted.ts";
import { isObject, parseOrNull } from "../json/exact-json.ts";
import { findServerType, type ServerTypeName } from "../server-types.ts";

export const stateFolderPurpose: FolderPurpose = {
  name: "state directory",
  consequence: "grantctl cannot record its changes there",
  hint: "Set GRANTCTL_STATE_DIR to a directory of yours.",
};

export const journalSuffix = ".journal";

/** The path of a journal, from its ID or from its path. */
export function journalPath(folder: () => string, idOrPath: string): string {
  return /^[\w-]+$/.test(idOrPath) ? join(folder(), `${idOrPath}${journalSuffix}`) : idOrPath;
}

/** The ID of the journal at this path: its name without folders and without the suffix. */
export function journalIdFromPath(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.journal$/, "");
}

/** The path of a journal's companion file, as in the table above. */
export function companionPath(path: string, kind: "lock" | "command" | "announced"): string {
  return `${path}.${kind}`;
}

/**
 * The server type in the head of a journal, or null if there is none. A resumed job keeps its server type, even if the
 * configuration has changed.
 */
export async function rememberedServerType(path: string): Promise<ServerTypeName | null> {
  const line = await firstLine(path).catch(() => "");
  const head = parseOrNull(line.slice(line.indexOf("{")));
  return isObject(head) && typeof head["server_type"] === "string"
    ? (findServerType(head["server_type"])?.name ?? null)
    : null;
}

/** Reads only the first piece of the file, which is longer than any head. */
async function firstLine(path: string): Promise<string> {
  for await (const piece of plainFilePieces(path, Number.POSITIVE_INFINITY)) {
    return piece.toString("utf8", 0, Math.max(0, piece.indexOf("\n")));
  }
  return "";
}
