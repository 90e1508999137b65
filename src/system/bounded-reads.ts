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
  return joined(openedPieces(path, "any", maxBytes));
}

/** Reads a plain file of grantctl's. Throws an Unreadable for anything else, and for more than `maxBytes`. */
export function readPlainFile(path: string, maxBytes = largestInput): Promise<Buffer> {
  return joined(plainFilePieces(path, maxBytes));
}

/** A plain file, piece by piece. Throws an Unreadable for anything else, and for more than `maxBytes`. */
function plainFilePieces(path: string, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  return openedPieces(path, "plain", maxBytes);
}

export function readToEnd(file: FileHandle): Promise<Buffer> {
  return joined(piecesOf(file, largestInput));
}

async function* openedPieces(
  path: string,
  type: "plain" | "any",
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would wait.
    const nonBlocking = type === "plain" ? (constants.O_NONBLOCK ?? 0) : 0;
    const file = await open(path, constants.O_RDONLY | nonBlocking);
    try {
      if (type === "plain" && !(await file.stat()).isFile())
        throw new Unreadable("it is not a plain file", null);
      yield* piecesOf(file, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Errors thrown by the consumer of the pieces may also arrive here.
    if (error instanceof Unreadable || code === undefined) throw error;
    throw new Unreadable(inWords(code), code, error);
  }
}

const pieceBytes = 256 * 1024;

/** The bytes of an open file. Throws an Unreadable for more than `maxBytes`, before reading if the size is known. */
async function* piecesOf(file: FileHandle, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  // The size may differ from the number of bytes: for a device it is 0.
  const { size } = await file.stat();
  if (size > maxBytes) throw tooLarge(maxBytes);
  let total = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
    if (bytesRead === 0) return;
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(maxBytes);
    yield buffer.subarray(0, bytesRead);
  }
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const whole: Buffer[] = [];
  for await (const piece of pieces) whole.push(piece);
  return Buffer.concat(whole);
}

function tooLarge(maxBytes: number): Unreadable {
  return new Unreadable(`it is larger than ${maxBytes / mebibyte} MiB`, null);
}
