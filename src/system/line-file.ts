// A crash-safe file of lines, each a checksum and a JSON object. Its process holds the file's lock.
//
//   process crash  a line is written within three turns of the event loop, with the others of these turns
//   power cut      `append` waits for a sync, which all waiting lines share
//   full disk      `reserve` writes line feeds ahead, so that the failure comes before a request and not after it
//   broken line    the last one is torn, and dropped, if its end is missing; any other one means damage, and stays
import { hash } from "node:crypto";
import { constants, ftruncateSync } from "node:fs";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readPlainFile, readToEnd, Unreadable } from "./reads.ts";
import { openLocked } from "./lock.ts";
import { isWindows } from "./standard-streams.ts";
import { writeFullySync } from "./writes.ts";

export type LineFile = ReturnType<typeof createWriter>;

export interface Lines {
  readonly objects: readonly unknown[];
  /** True if a line that was written whole is unreadable, so that others may be missing. */
  readonly isDamaged: boolean;
  readonly broken: readonly string[];
  /** Bytes that stay when more is appended. */
  readonly length: number;
}

interface Handles {
  /** Holds the lock. A child that inherits it may write to it, which then adds what is dropped as a torn line. */
  readonly lock: FileHandle;
  /** Reads and writes at a position, which a handle that only appends cannot. */
  readonly writer: FileHandle;
}

/** Null if another process has the lock. */
async function openHandles(path: string, flags: number): Promise<Handles | null> {
  // Windows locks by opening a file once; and there, no child inherits it.
  const isShared = !isWindows;
  // Not read-only: NFS only locks what may be written.
  const lock = await openLocked(path, constants.O_RDWR | flags | (isShared ? constants.O_APPEND : 0));
  if (lock === null || !isShared) return lock && { lock, writer: lock };
  try {
    return { lock, writer: await open(path, constants.O_RDWR | constants.O_NOFOLLOW) };
  } catch (error) {
    await lock.close();
    throw error;
  }
}

/**
 * Creates the file, private and new, with this first line on disk, and if wanted with room for a response; null if another
 * process has its lock, to look at it. Throws the system's error if that fails.
 */
export async function createLineFile(path: string, first: object, reserves = false) {
  const handles = await openHandles(path, constants.O_CREAT | constants.O_EXCL);
  if (handles === null) {
    await unlink(path).catch(() => undefined);
    return null;
  }
  const file = createWriter(handles, 0);
  try {
    await file.append(first);
    if (reserves) await file.reserve();
    return file;
  } catch (error) {
    await file.close();
    await unlink(path);
    throw error;
  }
}

/** Opens a file for appending, which changes nothing before the first new line; null if another process holds its lock. */
export async function openLineFile(path: string) {
  const handles = await openHandles(path, 0);
  if (handles === null) return null;
  try {
    if (!(await handles.writer.stat()).isFile()) throw new Unreadable("it is not a plain file", null);
    const read = parseLines(await readToEnd(handles.writer));
    return { file: createWriter(handles, read.length), read };
  } catch (error) {
    await closeBoth(handles);
    throw error;
  }
}

/** Reads the whole lines of a file, whoever holds its lock. */
export async function readLines(path: string): Promise<Lines> {
  return parseLines(await readPlainFile(path));
}

/** The least room for the responses of the requests in flight, and what each of them gets. */
const leastRoomBytes = 64 * 1024;
const responseBytes = 16 * 1024;
/** Those whose response never comes must not let the file grow without end. */
const mostRoomBytes = 2 * 1024 * 1024;

async function closeBoth({ lock, writer }: Handles): Promise<void> {
  if (writer !== lock) await writer.close();
  await lock.close();
}

function createWriter(handles: Handles, start: number) {
  const { lock, writer: handle } = handles;
  let length = start;
  let allocated = start;
  let isTrimmed = false;
  /** Drops a torn line at the end. */
  const trim = (): void => {
    if (!isTrimmed) ftruncateSync(handle.fd, length);
    isTrimmed = true;
  };
  const sync = createGroupSync(() => handle.datasync());
  let waiting = "";
  let writing: Promise<void> | null = null;
  const writeWaiting = (): void => {
    const bytes = Buffer.from(waiting);
    waiting = "";
    writing = null;
    trim();
    writeFullySync(handle.fd, bytes, length);
    length += bytes.length;
  };
  /** Responses that arrive together are seen in turns, and a sync for each would cost as much as its request. */
  const write = (object: object): Promise<void> => {
    const json = JSON.stringify(object);
    waiting += `${checksum(json)} ${json}\n`;
    writing ??= nextTurn().then(nextTurn).then(nextTurn).then(writeWaiting);
    return writing;
  };
  return {
    /** For a child that is to hold the lock as well. */
    descriptor: lock.fd,
    /** Writes a line; resolves when it is on disk. */
    async append(object: object): Promise<void> {
      await write(object);
      await sync();
    },
    /** Writes a line that is on disk after the next `append`. Ignores errors of the disk. */
    appendUnsynced(object: object): void {
      write(object).catch(() => undefined);
    },
    /** Resolves when the lines so far are written, so that they survive a crash of the process. Ignores errors of the disk. */
    written: (): Promise<void> => (writing ?? Promise.resolve()).catch(() => undefined),
    /** Reserves disk space for this many responses, so that keeping them cannot fail because the disk is full. */
    async reserve(responses = 1): Promise<void> {
      const wanted = Math.min(Math.max(leastRoomBytes, responses * responseBytes), mostRoomBytes);
      if (allocated - length >= wanted) return;
      trim();
      const from = Math.max(allocated, length);
      const room = Buffer.alloc(length + 2 * wanted - from, "\n");
      writeFullySync(handle.fd, room, from);
      allocated = from + room.length;
      await sync();
    },
    async close(): Promise<void> {
      // If the last write fails, only lines of `appendUnsynced` are lost.
      await Promise.resolve(writing)
        .then(sync)
        .catch(() => undefined);
      await closeBoth(handles);
    },
  };
}

/**
 * Shares syncs: each call waits for a sync that began after it, and calls during a running sync share the next one.
 * Rejects with the error of the sync.
 */
function createGroupSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    next = null;
    running = sync();
    return running;
  };
  return () => {
    next ??= running.then(start, start);
    return next;
  };
}

const lineFeed = 0x0a;

function parseLines(bytes: Buffer): Lines {
  const objects: unknown[] = [];
  let end = bytes.length;
  // The room that was reserved, or the zeros that a power cut left.
  while (end > 0 && (bytes[end - 1] === lineFeed || bytes[end - 1] === 0)) end -= 1;
  let length = 0;
  let isDamaged = false;
  const broken: string[] = [];
  for (let start = 0; start < end;) {
    const found = bytes.indexOf(lineFeed, start);
    const next = found === -1 ? bytes.length : found;
    const line = found === -1 ? "" : bytes.toString("utf8", start, next);
    const object = parseLine(line);
    if (object === undefined) broken.push(line);
    else objects.push(object);
    // Room after a torn line ends it as well, but its own end is missing, or the zeros of a power cut are in it.
    const isWhole = next === bytes.length - 1 || (line.endsWith("}") && !line.includes("\0"));
    if (object !== undefined || isWhole) {
      length = next + 1;
      isDamaged ||= broken.length > 0;
    }
    start = next + 1;
  }
  // Without a whole line, it is no torn line.
  if (objects.length === 0 && broken.length > 0) return { objects, isDamaged: true, broken, length: end };
  return { objects, isDamaged, broken: isDamaged ? broken : [], length };
}

/** The object in a line; undefined if the checksum does not match. */
function parseLine(line: string): unknown {
  const json = line.slice(checksumLength + 1);
  return json !== "" && line.slice(0, checksumLength + 1) === `${checksum(json)} `
    ? JSON.parse(json)
    : undefined;
}

const checksumLength = 16;

function checksum(json: string): string {
  return hash("sha256", json).slice(0, checksumLength);
}
