// The configuration file as it is read: JSON with comments, checked as a whole before any of it is used. A mistake is
// a usage failure that names the line and the key, and never repeats a value. Read at once, because node:fs/promises takes
// longer to load than such a file takes to be read.
import { closeSync, constants, openSync, readFileSync, statSync } from "node:fs";
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { foreign } from "../errors/foreign.ts";
import { emptyConfiguration, type Configuration } from "./configuration.ts";

const largest = 1024 * 1024;

/**
 * Reads the file; one that is not there is empty. `userId` is this process's, null where the platform has none.
 * Throws a usage failure for a file that others can change, or that is not a configuration.
 */
export async function readConfiguration(path: string, userId: number | null): Promise<Configuration> {
  const text = readConfigurationText(path, userId);
  if (text === null) return emptyConfiguration(path);
  const { parseConfiguration } = await import("./parse-configuration.ts");
  return parseConfiguration(path, text);
}

/** The file's text; null where there is none. Throws as readConfiguration does. */
export function readConfigurationText(path: string, userId: number | null): string | null {
  try {
    const found = statSync(path);
    const { mode, uid, size } = found;
    // Reading from a pipe would wait for ever.
    if (!found.isFile()) throw usageFailure(`${foreign(path)} is not a file`);
    // Its commands are run: whoever can change it could run anything as this user.
    const isForeign = userId !== null && userId !== 0 && uid !== 0 && uid !== userId;
    if (userId !== null && (isForeign || (mode & 0o022) !== 0)) {
      throw usageFailure(
        `others can change ${foreign(path)}, whose commands would be run`,
        `make it yours alone: chmod 600 ${foreign(path)}`,
      );
    }
    if (size > largest) throw usageFailure(`${foreign(path)} is larger than 1 MiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readAtOnce(path));
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (name === "TypeError") throw usageFailure(`${foreign(path)} is not UTF-8 text`);
    throw code === undefined ? error : usageFailure(`cannot read ${foreign(path)}: ${inWords(code)}`);
  }
}

function readAtOnce(path: string): Buffer {
  // A pipe that came meanwhile must not keep the opening waiting.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
