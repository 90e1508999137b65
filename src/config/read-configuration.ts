// The configuration file as it is read: JSON with comments, checked as a whole before any of it is used. A mistake is
// a usage failure that names the line and the key, and never repeats a value.
import { usageFailure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { foreign } from "../errors/foreign.ts";
import { readTrustedFile } from "../files/trusted.ts";
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
    const bytes = readTrustedFile(path, { userId, maxBytes: largest });
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (name === "TypeError") throw usageFailure(`${foreign(path)} is not UTF-8 text`);
    throw code === undefined ? error : usageFailure(`cannot read ${foreign(path)}: ${inWords(code)}`);
  }
}
