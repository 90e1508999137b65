// A temporary configuration folder for one test.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./state-folder.ts";

export interface ConfigurationFolder {
  readonly path: string;
  /** The path of the folder. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes the configuration file: a string unchanged, anything else as JSON. */
  write(content: unknown): void;
  /** The file's text; empty if it does not exist. */
  text(): string;
  /** The parsed file. */
  content(): Record<string, unknown>;
  /** The names in the folder, sorted. */
  names(): readonly string[];
  /** The permissions of the folder or of a file in it, such as 0o600. */
  mode(name?: string): number;
}

/** The folder is deleted after the test. It is created when the file is written, here if there is content. */
export function makeConfigurationFolder(content?: unknown): ConfigurationFolder {
  const path = join(makeFolder(), "config");
  const file = join(path, "config.json");
  const folder: ConfigurationFolder = {
    path,
    file,
    environment: { GRANTCTL_CONFIG_DIR: path },
    write(wanted) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeFileSync(file, typeof wanted === "string" ? wanted : JSON.stringify(wanted, null, 2), {
        mode: 0o600,
      });
    },
    text() {
      try {
        return readFileSync(file, "utf8");
      } catch {
        return "";
      }
    },
    content: () => JSON.parse(folder.text()) as Record<string, unknown>,
    names() {
      try {
        return readdirSync(path).toSorted();
      } catch {
        return [];
      }
    },
    mode: (name = ".") => statSync(join(path, name)).mode & 0o777,
  };
  if (content !== undefined) folder.write(content);
  return folder;
}
