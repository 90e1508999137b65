// Reads files with a size limit and without hanging: a device may never end, and a pipe may never deliver.
//
//   readInputFile                     a file that the user named; pipes (`<(command)`) and devices are allowed
//   readPlainFile                     a file of grantctl's own; anything but a plain file is rejected
//
// All files are read here, except those that nobody else may be able to change (trusted.ts).
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { inWords } from "../errors/system-codes.ts";

const mebibyte = 1024 * 1024;

/** The most bytes to read from standard input. */
const largestInput = 256 * mebibyte;

/** The error for a file that cannot be read. The message is a short reason; the code is the system's, or null. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly code: string | null;

  constructor(reason: string, code: string | null, cause?: unknown) {
    super(reason, { cause });
    this.code = code;
  }
}

/** Reads a whole file that the user named. Throws an Unreadable, also for more than `maxBytes`. */
export function readInputFile(path: string, maxBytes = largestInput): Promise<Buffer> {
  return readPath(path, false, maxBytes);
}

/** Reads a plain file of grantctl's. Throws an Unreadable for anything else, and for more than `maxBytes`. */
export function readPlainFile(path: string, maxBytes = largestInput): Promise<Buffer> {
  return readPath(path, true, maxBytes);
}

async function readPath(path: string, isPlain: boolean, maxBytes: number): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would wait.
    const nonBlocking = isPlain ? (constants.O_NONBLOCK ?? 0) : 0;
    const file = await open(path, constants.O_RDONLY | nonBlocking);
    try {
      if (isPlain && !(await file.stat()).isFile()) throw new Unreadable("it is not a plain file", null);
      return await readToEnd(file, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Unreadable || code === undefined) throw error;
    throw new Unreadable(inWords(code), code, error);
  }
}

const pieceBytes = 256 * 1024;

/** The bytes of an open file. Throws an Unreadable for more than `maxBytes`, before reading if the size is known. */
export async function readToEnd(file: FileHandle, maxBytes = largestInput): Promise<Buffer> {
  // The size may differ from the number of bytes: for a device it is 0.
  const { size } = await file.stat();
  if (size > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  for (let total = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
    if (bytesRead === 0) return Buffer.concat(pieces);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(maxBytes);
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

function tooLarge(maxBytes: number): Unreadable {
  return new Unreadable(`it is larger than ${maxBytes / mebibyte} MiB`, null);
}
