// Error codes of the operating system in plain words, for the ones that users run into.

const meanings: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or directory"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
  ["ENOTDIR", "a part of its path is not a directory"],
  ["EROFS", "its file system is read-only"],
]);

/** The meaning of an error code; an unlisted code is returned unchanged. */
export function inWords(code: string): string {
  return meanings.get(code) ?? code;
}
