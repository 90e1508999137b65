// A file of records that survive a crash: one JSON object a line behind a checksum, each on disk before it counts.
// Records that arrive together share one write and one sync. Room is taken ahead of need, so that a disk that fills
// up is noticed before a request and not after it. A torn line is no record.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, type FileHandle } from "node:fs/promises";
import { writeWholly } from "../files/durable-writes.ts";

export interface RecordFile {
  /** Resolves when the record is on disk. */
  append(record: object): Promise<void>;
  /** Resolves when there is room on disk for what must not fail later. */
  reserve(): Promise<void>;
  close(): Promise<void>;
}

/** Room that `reserve` keeps unless told otherwise. */
const defaultRoomBytes = 128 * 1024;

/** Creates the file, private and new; throws the system's error when it cannot. */
export async function createRecordFile(path: string, roomBytes = defaultRoomBytes): Promise<RecordFile> {
  return writer(await open(path, privateFlags | constants.O_CREAT | constants.O_EXCL, 0o600), 0, roomBytes);
}

/**
 * Opens a file to append to, if `check` accepts its records: those up to the first torn line. What is behind them
 * goes. Throws what `check` throws, with the file as it was; else its result is `checked`.
 */
export async function reopenRecordFile<Checked>(
  path: string,
  check: (records: readonly unknown[]) => Promise<Checked>,
): Promise<{ readonly file: RecordFile; readonly checked: Checked }> {
  const { records, length } = await readWithLength(path);
  const checked = await check(records);
  const handle = await open(path, privateFlags);
  await handle.truncate(length);
  return { file: writer(handle, length, defaultRoomBytes), checked };
}

/** The records of a file, up to the first torn line. */
export async function readRecords(path: string): Promise<readonly unknown[]> {
  return (await readWithLength(path)).records;
}

/** Whether a file holds nothing but room that was taken; false where it cannot be read. */
export async function isBlankFile(path: string): Promise<boolean> {
  const bytes = await readFile(path).catch(() => null);
  return bytes !== null && bytes.every((byte) => byte === 0x0a);
}

const privateFlags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

interface Waiting {
  readonly line: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function writer(handle: FileHandle, start: number, roomBytes: number): RecordFile {
  let length = start;
  let allocated = start;
  let waiting: Waiting[] = [];
  /** Everything that touches the file, one after the other. */
  let work: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = work.then(step);
    work = done.catch(() => undefined);
    return done;
  };

  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const bytes = Buffer.concat(batch.map(({ line }) => line));
      await writeWholly(handle, bytes, length);
      await handle.datasync();
      length += bytes.length;
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const allocate = async (): Promise<void> => {
    if (allocated - length >= roomBytes) return;
    const from = Math.max(allocated, length);
    const room = Buffer.alloc(length + 2 * roomBytes - from, "\n");
    await writeWholly(handle, room, from);
    await handle.datasync();
    allocated = from + room.length;
  };

  return {
    append(record) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: toLine(record), resolve, reject });
        void inTurn(flush);
      });
    },
    reserve() {
      return allocated - length >= roomBytes ? Promise.resolve() : inTurn(allocate);
    },
    close: () => inTurn(() => handle.close()),
  };
}

function toLine(record: object): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

interface Read {
  readonly records: readonly unknown[];
  /** Bytes up to the end of the last whole record. */
  readonly length: number;
}

async function readWithLength(path: string): Promise<Read> {
  const bytes = await readFile(path);
  const records: unknown[] = [];
  let length = 0;
  while (length < bytes.length) {
    const end = bytes.indexOf(0x0a, length);
    if (end === -1) break;
    const line = bytes.toString("utf8", length, end);
    // Room that was taken and not used.
    if (line === "") break;
    const json = line.slice(checksumLength + 1);
    if (line.slice(0, checksumLength) !== checksum(json)) break;
    records.push(JSON.parse(json));
    length = end + 1;
  }
  return { records, length };
}

const checksumLength = 16;

function checksum(json: string): string {
  return createHash("sha256").update(json).digest("hex").slice(0, checksumLength);
}
