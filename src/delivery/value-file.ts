// The file that receives new tokens (--output-file): private, new, and never opened through a link. It is written under a
// temporary name and renamed with the first values in it, so that no kill leaves an empty file. A value is there when it is
// on disk under the file's name.
import { lstat, open, unlink, type FileHandle } from "node:fs/promises";
import { Failure } from "../errors/errors.ts";
import { publish, writeFully } from "../system/writes.ts";
import type { ValueReceiver } from "./receiver.ts";

/** The file at this path, which was checked. `mayReplace`: --force, or a file of an earlier run of the same job. */
export function createValueFile(path: string, mayReplace: boolean): ValueReceiver {
  const draft = `${path}.grantctl-draft`;
  let file: FileHandle | null = null;
  let length = 0;
  const append = async (text: string): Promise<void> => {
    const isFirst = length === 0;
    // A killed run may have left one, whose values a resumed one has as well.
    if (file === null) await unlink(draft).catch(() => undefined);
    file ??= await open(draft, "wx", 0o600);
    const bytes = Buffer.from(text);
    try {
      await writeFully(file, bytes, length);
      await file.sync();
    } catch (error) {
      await file.truncate(length).catch(() => undefined);
      throw error;
    }
    length += bytes.length;
    if (isFirst) await publish(draft, path, mayReplace);
  };
  /** One batch after another, because each is written behind those before. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    outputFile: path,
    async take(batch) {
      const written = last.then(() => append(batch.map(({ text }) => text).join("")));
      last = written.catch(() => undefined);
      try {
        await written;
      } catch (cause) {
        const { code = "unknown error" } = cause as NodeJS.ErrnoException;
        const why = code === "EEXIST" ? "was created meanwhile" : `could not be written (${code})`;
        throw new Failure("undelivered", `the token exists, but ${path} ${why}`, { cause });
      }
      // On Windows, the device number of a path and of a handle may differ.
      const [found, own] = [await lstat(path).catch(() => null), await file?.stat()];
      if (found?.ino !== own?.ino)
        throw new Failure("undelivered", `${path} is no longer the file that the value was written to`);
    },
    async close() {
      await file?.close();
      if (file !== null) await unlink(draft).catch(() => undefined);
    },
  };
}
