// A file of records that survive a crash: one JSON object a line behind a checksum, each on disk before it counts.
// Records that arrive together share one write and one sync. Room is taken ahead of need, so that a disk that fills
// up is noticed before a request and not after it. A torn line is no record.
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, type FileHandle } from "node:fs/promises";

/** Room taken ahead: more than any record that must not fail to be written. */
const roomBytes = 128 * 1024;

export interface RecordFile {
  /** Resolves when the record is on disk. */
  append(record: object): Promise<void>;
  /** Resolves when there is room on disk for what must not fail later. */
  reserve(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the file, private and new; throws the system's error when it cannot. */
export async function createRecordFile(path: string): Promise<RecordFile> {
  return writer(await open(path, privateFlags | constants.O_CREAT | constants.O_EXCL, 0o600), 0);
}

/** Opens the file to append to; its records up to the first torn line stay, what is behind them goes. */
export async function reopenRecordFile(
  path: string,
): Promise<{ readonly file: RecordFile; readonly records: readonly unknown[] }> {
  const { records, length } = await readWithLength(path);
  const handle = await open(path, privateFlags);
  await handle.truncate(length);
  return { file: writer(handle, length), records };
}

/** The records of a file, up to the first torn line. */
export async function readRecords(path: string): Promise<readonly unknown[]> {
  return (await readWithLength(path)).records;
}

const privateFlags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

function writer(handle: FileHandle, start: number): RecordFile {
  let length = start;
  let allocated = start;
  let waiting: {
    readonly line: Buffer;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let isBusy = false;
  let reserving: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const bytes = Buffer.concat(batch.map(({ line }) => line));
        await handle.write(bytes, 0, bytes.length, length);
        await handle.datasync();
        length += bytes.length;
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  };

  const allocate = async (): Promise<void> => {
    const from = Math.max(allocated, length);
    const room = Buffer.alloc(2 * roomBytes, "\n");
    await handle.write(room, 0, room.length, from);
    await handle.datasync();
    allocated = from + room.length;
  };

  return {
    append(record) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: toLine(record), resolve, reject });
        if (!isBusy) void flush();
      });
    },
    async reserve() {
      if (allocated - length >= roomBytes) return;
      reserving ??= allocate().finally(() => {
        reserving = null;
      });
      await reserving;
    },
    close: () => handle.close(),
  };
}

function toLine(record: object): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

async function readWithLength(
  path: string,
): Promise<{ readonly records: readonly unknown[]; readonly length: number }> {
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
