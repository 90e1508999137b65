// Writes generated files atomically, and only if they have changed.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a text to a file atomically. A file that already has this text is not touched. */
export function writeWhole(path, text) {
  if (textOf(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

function textOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
