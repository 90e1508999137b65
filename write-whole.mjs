// Writes what is made: whole or not at all, and only where it says something new.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Puts a text under a name, at once. A file that says the same already is left as it is. */
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
