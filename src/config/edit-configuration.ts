// Changes the configuration file under a lock. The file is rewritten whole, and the result is checked first.
import { dirname } from "node:path";
import { withLock } from "../files/lock.ts";
import { checkPrivateFolder, preparePrivateFolder, type Trust } from "../files/trusted.ts";
import { checkPlainFile, replaceFile } from "../files/replace-file.ts";
import { type Configuration, parseConfiguration, readConfiguration, serialise } from "./configuration.ts";
import { configurationFolderPurpose } from "./folders.ts";

/**
 * Writes the configuration that `change` makes of the current one. Throws a usage failure if either is invalid, or the
 * file cannot be written.
 */
export async function editConfiguration(
  path: string,
  trust: Trust,
  change: (configuration: Configuration) => Configuration,
): Promise<void> {
  await preparePrivateFolder(dirname(path), configurationFolderPurpose, trust);
  await withLock(path, "the configuration", async () => {
    const before = readConfiguration(path, trust);
    const text = serialise(change(before));
    if (text === serialise(before)) return;
    parseConfiguration(path, text);
    await replaceFile(path, text);
  });
}

/** Throws the usage failures of editConfiguration that can be detected without writing. */
export async function checkEditable(path: string, trust: Trust): Promise<void> {
  await checkPrivateFolder(dirname(path), configurationFolderPurpose, trust);
  await checkPlainFile(path);
}
