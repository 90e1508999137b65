// The operating system's error codes that its users meet, in words.

const meanings: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or folder"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is no folder"],
  ["EROFS", "its file system is read-only"],
]);

/** The meaning of an error code of the operating system; a rare one as it is. */
export function inWords(code: string): string {
  return meanings.get(code) ?? code;
}
