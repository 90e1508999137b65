// Reads files with a size limit and without hanging: a device may never end, and a pipe may never deliver.
//
//   readInputFile, inputFilePieces    a file that the user named; pipes (`<(command)`) and devices are allowed
//   readPlainFile, plainFilePieces    a file of grantctl's own; anything but a plain file is rejected
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

/**
 * Reads a whole file that the user named. Throws an Unreadable, also for more than `maxBytes`.
 */
export function readInputFile(path: string, maxBytes = largestInput): Promise<Buffer> {
  return readOpened(path, constants.O_RDONLY, (file) => readToEnd(file, maxBytes));
}

/**
 * Reads a file that the user named, piece by piece, so that it need not fit into memory. Throws an Unreadable if it
 * cannot be read.
 */
export function inputFilePieces(path: string): AsyncGenerator<Buffer, void, undefined> {
  return piecesOf(path, constants.O_RDONLY, () => Promise.resolve());
}

/** A plain file, piece by piece. Throws an Unreadable for anything else, and for more than `maxBytes`. */
export function plainFilePieces(path: string, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  return piecesOf(path, plainFlags, async (file) => {
    await requirePlain(file);
    if ((await file.stat()).size > maxBytes) throw tooLarge(maxBytes);
  });
}

async function* piecesOf(
  path: string,
  flags: number,
  check: (file: FileHandle) => Promise<void>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    const file = await open(path, flags);
    try {
      await check(file);
      for (;;) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    // Errors thrown by the consumer of the pieces also arrive here.
    throw syscall === undefined ? error : fromSystem(error);
  }
}

const pieceBytes = 256 * 1024;

/** Without O_NONBLOCK, opening a pipe without a writer would wait. */
const plainFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a plain file of grantctl's. Throws an Unreadable for anything else, and for more than `maxBytes`. */
export function readPlainFile(path: string, maxBytes = largestInput): Promise<Buffer> {
  return readOpened(path, plainFlags, async (file) => {
    await requirePlain(file);
    return readToEnd(file, maxBytes);
  });
}

async function requirePlain(file: FileHandle): Promise<void> {
  if (!(await file.stat()).isFile()) throw new Unreadable("it is not a plain file", null);
}

function fromSystem(error: unknown): Unreadable {
  const { code } = error as NodeJS.ErrnoException;
  return new Unreadable(inWords(code ?? "unknown error"), code ?? null, error);
}

/** Opens the file, calls `read`, and closes the file. Throws an Unreadable if a system call fails. */
async function readOpened(
  path: string,
  flags: number,
  read: (file: FileHandle) => Promise<Buffer>,
): Promise<Buffer> {
  try {
    const file = await open(path, flags);
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw fromSystem(error);
  }
}

/**
 * Reads all bytes of an open file. Throws an Unreadable for more than `maxBytes`, before reading if the size is known.
 */
export async function readToEnd(file: FileHandle, maxBytes = largestInput): Promise<Buffer> {
  // The size may differ from the number of bytes: for a device it is 0.
  const { size } = await file.stat();
  if (size > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  let total = 0;
  // One byte more than the size detects the end of file without another allocation.
  let next = Math.min(size, maxBytes) + 1;
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.max(next, 64 * 1024));
    const { bytesRead } = await file.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return Buffer.concat(pieces);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece.subarray(0, bytesRead));
    next = mebibyte;
  }
}

function tooLarge(maxBytes: number): Unreadable {
  return new Unreadable(`it is larger than ${maxBytes / mebibyte} MiB`, null);
}
