// A crash-safe file of records: each line has a checksum and a JSON object.
//
//   process crash  records are written by the end of the event loop turn, without waiting for a sync
//   power cut      `append` waits for a sync, which all waiting records share
//   full disk      space is reserved ahead, so that the failure comes before a request and not after it
//   broken line    at the end it is a torn record and dropped; before a valid record it means damage, and stays
import { hash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { readPlainFile } from "../files/bounded-reads.ts";
import { writeFullySync } from "../files/writes.ts";

export type RecordFile = ReturnType<typeof createWriter>;

/** Bytes that `reserve` keeps free by default. */
const defaultRoomBytes = 128 * 1024;

/** Creates the file, private and new; throws the system's error if that fails. */
export async function createRecordFile(path: string, roomBytes = defaultRoomBytes): Promise<RecordFile> {
  return createWriter(
    await open(path, privateFlags | constants.O_CREAT | constants.O_EXCL, 0o600),
    0,
    roomBytes,
  );
}

export interface ReadRecords {
  readonly records: readonly unknown[];
  /**
   * True if anything between valid records is unreadable, or anything after the head if no other record is valid: that
   * may be more than a torn last record.
   */
  readonly isDamaged: boolean;
  /** Bytes that stay when more is appended. */
  readonly length: number;
}

/**
 * Opens a file for appending, and truncates it after its last valid record. Passes the records to `check` first, and
 * returns its result as `checked`; if `check` throws, the file is not changed.
 */
export async function reopenRecordFile<Checked>(
  path: string,
  check: (read: ReadRecords) => Checked,
): Promise<{ readonly file: RecordFile; readonly checked: Checked }> {
  const read = await readRecords(path);
  const checked = check(read);
  const handle = await open(path, privateFlags);
  let { length } = read;
  await handle.truncate(length);
  // Unreadable text that may be more than a torn record stays, on a line of its own.
  if (read.isDamaged) length += (await handle.write("\n", length)).bytesWritten;
  return { file: createWriter(handle, length, defaultRoomBytes), checked };
}

/** True if a file holds only reserved room and no record; false if it cannot be read. */
export async function isBlankFile(path: string): Promise<boolean> {
  const bytes = await readPlainFile(path).catch(() => null);
  return bytes !== null && bytes.subarray(0, usedLength(bytes)).every((byte) => byte === 0x0a);
}

const privateFlags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

function createWriter(handle: FileHandle, start: number, roomBytes: number) {
  let length = start;
  let allocated = start;
  const sync = createGroupSync(() => handle.datasync());

  let gathered: Batch | null = null;

  /** Writes the gathered records, then these. */
  const writeNow = (records: readonly object[]): void => {
    const batch = gathered;
    gathered = null;
    const bytes = Buffer.from(`${batch?.lines ?? ""}${records.map(formatRecord).join("")}`);
    try {
      writeFullySync(handle.fd, bytes, length);
    } catch (error) {
      for (const { fail } of batch?.waiting ?? []) fail(error);
      throw error;
    }
    length += bytes.length;
    for (const { succeed } of batch?.waiting ?? []) succeed();
  };

  const endTurn = (): void => {
    try {
      if (gathered !== null) writeNow([]);
    } catch {
      // The callers of `write` get the failure.
    }
  };

  const gather = (record: object): Batch => {
    if (gathered === null) {
      gathered = { lines: "", waiting: [] };
      setImmediate(endTurn);
    }
    gathered.lines += formatRecord(record);
    return gathered;
  };

  return {
    /**
     * Writes a record without a sync, together with all others of this turn of the event loop. Once resolved, the
     * record survives a crash of this process; it is on disk after the next `append`.
     */
    write(record: object): Promise<void> {
      const { waiting } = gather(record);
      return new Promise((succeed, fail) => waiting.push({ succeed, fail }));
    },
    /** Like `write`, but without waiting. If the disk fails, the record is silently lost. */
    note(record: object): void {
      gather(record);
    },
    /** Writes records; resolves when they are on disk. */
    async append(...records: readonly object[]): Promise<void> {
      writeNow(records);
      await sync();
    },
    /** Reserves disk space, so that later records cannot fail because the disk is full. */
    async reserve(): Promise<void> {
      if (allocated - length >= roomBytes) return;
      const from = Math.max(allocated, length);
      const room = Buffer.alloc(length + 2 * roomBytes - from, "\n");
      writeFullySync(handle.fd, room, from);
      allocated = from + room.length;
      await sync();
    },
    async close(): Promise<void> {
      endTurn();
      try {
        await sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** Records of one turn of the event loop, which are written together, and the callers that wait for them. */
interface Batch {
  lines: string;
  readonly waiting: { readonly succeed: () => void; readonly fail: (error: unknown) => void }[];
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

function formatRecord(record: object): string {
  const json = JSON.stringify(record);
  return `${checksum(json)} ${json}\n`;
}

/** Reads the whole records of a file. */
export async function readRecords(path: string): Promise<ReadRecords> {
  const bytes = await readPlainFile(path);
  const records: unknown[] = [];
  let length = 0;
  let isDamaged = false;
  const used = usedLength(bytes);
  for (let start = 0; start < used;) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1) break;
    const record = end === start ? undefined : parseRecord(bytes.toString("utf8", start, end));
    if (record !== undefined) {
      // Reserved room belongs at the end; room in front of a record shows that a record was lost there.
      if (start > length) isDamaged = true;
      records.push(record);
      length = end + 1;
    }
    start = end + 1;
  }
  const isRestKept = records.length <= 1 && bytes.subarray(length, used).some((byte) => byte !== 0x0a);
  if (isRestKept) return { records, isDamaged: true, length: bytes.length };
  return { records, isDamaged, length };
}

/** The length without the reserved space: line feeds at the end, one of which may belong to a record. */
function usedLength(bytes: Buffer): number {
  let used = bytes.length;
  // Compares whole blocks first, because the reserved space is long and single bytes are slow.
  const room = Buffer.alloc(4096, "\n");
  const beginsRoom = (start: number): boolean =>
    start > 0 && bytes[start - 1] === 0x0a && room.compare(bytes, start, start + room.length) === 0;
  while (beginsRoom(used - room.length)) used -= room.length;
  while (bytes[used - 1] === 0x0a && bytes[used - 2] === 0x0a) used -= 1;
  return used;
}

/** The record in a line; undefined if the checksum does not match. */
function parseRecord(line: string): unknown {
  const json = line.slice(checksumLength + 1);
  return json !== "" && line.slice(0, checksumLength + 1) === `${checksum(json)} `
    ? JSON.parse(json)
    : undefined;
}

const checksumLength = 16;

function checksum(json: string): string {
  return hash("sha256", json).slice(0, checksumLength);
}
