// Reads files with a size limit, since a device may never end; grantctl's own also without waiting, since a pipe may never
// deliver: one that the user names is waited for. Decodes what was read as UTF-8: any other encoding would be a guess, so it
// is rejected. All files are read here, except those that nobody else may be able to change (trusted.ts).
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { systemErrorText, typedWord } from "../errors/words.ts";

const mostBytes = 256 * 1024 * 1024;

/** The error for a file that cannot be read. The message is a short reason; the code is the system's, or null. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly code: string | null;

  constructor(reason: string, code: string | null, cause?: unknown) {
    super(reason, { cause });
    this.code = code;
  }
}

/** Reads a whole file that the user named, which may be a pipe (`<(command)`) or a device. Throws an Unreadable. */
export async function readInputFile(path: string, isPlain = false): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would wait.
    const nonBlocking = isPlain ? (constants.O_NONBLOCK ?? 0) : 0;
    const file = await open(path, constants.O_RDONLY | nonBlocking);
    try {
      if (isPlain && !(await file.stat()).isFile()) throw new Unreadable("it is not a plain file", null);
      return await readToEnd(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(error);
  }
}

/** Reads a plain file of grantctl's own. Throws an Unreadable, also for anything else. */
export function readPlainFile(path: string): Promise<Buffer> {
  return readInputFile(path, true);
}

/** The bytes of an open file, from its position on. */
export function readToEnd(file: FileHandle): Promise<Buffer> {
  return readStream(file.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 }));
}

/** All bytes of a stream. Throws an Unreadable, also for too many. */
export async function readStream(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let total = 0;
  try {
    for await (const piece of stream) {
      pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
      total += piece.length;
      if (total > mostBytes) throw new Unreadable("it is larger than 256 MiB", null);
    }
  } catch (error) {
    throw unreadable(error);
  }
  return Buffer.concat(pieces);
}

/** The system's error as an Unreadable; any other error as it is. */
function unreadable(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof Unreadable || code === undefined
    ? error
    : new Unreadable(code === "EISDIR" ? "it is a directory" : systemErrorText(code), code, error);
}

/** Creates the failure for rejected input, with the reason in its message. */
export type Refusal = (reason: string, hint?: string) => Failure;

/** Reads the text of a file that the user named. Throws the failure that `refuse` creates, by default a usage failure. */
export async function readTextFile(
  path: string,
  refuse: Refusal = (reason, hint) => usageFailure(`cannot read ${typedWord(path)}: ${reason}`, hint),
): Promise<string> {
  return decodeRead(readInputFile(path), refuse);
}

/** Decodes what a read resolves with. Throws the failure that `refuse` creates, also for an Unreadable. */
export async function decodeRead(reading: Promise<Buffer>, refuse: Refusal): Promise<string> {
  const bytes = await reading.catch((error: unknown) => {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  });
  return decodeText(bytes, refuse);
}

/** Decodes a whole text, without the byte order mark. Throws the failure that `refuse` creates. */
export function decodeText(bytes: Buffer, refuse: Refusal): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse("it is not UTF-8 text", "In PowerShell, write it with `Out-File -Encoding utf8`.");
  }
}
