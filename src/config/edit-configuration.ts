// Edits the configuration file under a lock. Keeps comments and order, and validates the result before it replaces the
// file.
import { dirname } from "node:path";
import { applyEdits, createScanner, findNodeAtLocation, modify, parseTree } from "jsonc-parser";
import { type ProcessTable, withLock } from "../files/lock.ts";
import { checkPrivateFolder, preparePrivateFolder } from "../files/trusted.ts";
import { checkPlainFile, replaceFile } from "../files/replace-file.ts";
import { type Configuration, readConfigurationText } from "./configuration.ts";
import { configurationFolderPurpose } from "./folders.ts";
import { parseConfiguration } from "./parse-configuration.ts";

/** A value to set at a path of keys; undefined removes it. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
}

interface FileOwner {
  /** This process's user, null if the platform has none. */
  readonly userId: number | null;
  readonly processes: ProcessTable;
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n", insertFinalNewline: true };

/**
 * Calls `decide` with the current configuration, makes the edits that it returns, and resolves with the result. Throws
 * a usage failure if the configuration is invalid before or after the edits, or cannot be written.
 */
export async function editConfiguration(
  path: string,
  { userId, processes }: FileOwner,
  decide: (configuration: Configuration) => readonly Edit[],
): Promise<Configuration> {
  await preparePrivateFolder(dirname(path), configurationFolderPurpose, userId);
  return withLock(path, "the configuration", processes, async () => {
    const before = readConfigurationText(path, userId) ?? "";
    const edits = decide(parseConfiguration(path, before));
    let text = before.trim() === "" ? "{}\n" : before;
    for (const { path: keys, value } of edits) {
      if (value === undefined) text = withoutTrailingComma(text, keys.slice(0, -1));
      text = applyEdits(text, modify(text, [...keys], value, { formattingOptions }));
    }
    const after = parseConfiguration(path, text);
    if (text !== before) await replaceFile(path, text);
    return after;
  });
}

/** Throws the usage failures of editConfiguration that can be detected without writing. */
export async function checkEditable(path: string, userId: number | null): Promise<void> {
  await checkPrivateFolder(dirname(path), configurationFolderPurpose, userId);
  await checkPlainFile(path);
}

/** Removes an object's trailing comma, which jsonc-parser would leave behind when it removes the last entry. */
function withoutTrailingComma(text: string, keys: readonly string[]): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const last = tree && findNodeAtLocation(tree, [...keys])?.children?.at(-1);
  if (last === undefined) return text;
  const scanner = createScanner(text, true);
  scanner.setPosition(last.offset + last.length);
  scanner.scan();
  const comma = scanner.getTokenOffset();
  return text.charAt(comma) === "," ? text.slice(0, comma) + text.slice(comma + 1) : text;
}
