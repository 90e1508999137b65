// The minimum cost of a job over many tokens: read a line, send a request, write a line, with a given concurrency. It
// keeps no state to resume from. `bulk-floor BASE_URL METHOD CONCURRENCY [FILE]`. With a file, it writes to disk as
// much as grantctl's journal and syncs as often: records of the same sizes, with one fdatasync for all that are
// waiting. The records are empty, so that the job cannot be resumed; the result is the cost of the disk writes
// alone.
import { open, type FileHandle } from "node:fs/promises";
import { writeSync } from "node:fs";
import { Agent, request } from "undici";

const [, , base = "", method = "DELETE", words = "8", path] = process.argv;
const concurrency = Number(words);
const dispatcher = new Agent({ connections: concurrency });

/**
 * Bytes of a journal's records: an item that is planned, one that is sent, one that is done, and one with its response.
 */
const sizes = { planned: 181, sent: 108, done: 108, answered: 146 };
const itemsInBlock = { least: 32, most: 256 };
/** The file grows by this many bytes at a time, filled with zeros. */
const roomBytes = 128 * 1024;

interface Syncs {
  beforeSending(index: number): Promise<void>;
  keepResponse(answer: string): Promise<void>;
  finish(): void;
}

const noSyncs: Syncs = {
  beforeSending: () => Promise.resolve(),
  keepResponse: () => Promise.resolve(),
  finish: () => undefined,
};

/** Calls that come while a sync is in flight share the next. */
function sharedSync(file: FileHandle): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    next = null;
    return (running = file.datasync());
  };
  return () => (next ??= running.then(start));
}

function syncsOn(file: FileHandle, total: number): Syncs {
  const sync = sharedSync(file);
  let planned: Promise<void> = Promise.resolve();
  let plannedBefore: Promise<void> = Promise.resolve();
  let begin = 0;
  let end = 0;
  let length = 0;
  let allocated = 0;
  let isNoted = false;
  let noted = 0;
  const write = (bytes: number): void => {
    writeSync(file.fd, Buffer.alloc(bytes + noted, "x"), 0, bytes + noted, length);
    length += bytes + noted;
    noted = 0;
  };
  const planBlock = (): void => {
    begin = end;
    end = Math.min(total, end + Math.min(Math.max(itemsInBlock.least, end), itemsInBlock.most));
    plannedBefore = planned;
    write(sizes.planned * (end - begin));
    planned = sync();
  };
  planBlock();
  return {
    async beforeSending(index) {
      // A block is written while the requests of the one before it are in flight.
      if (index >= begin && end < total) planBlock();
      await (index < begin ? plannedBefore : planned);
      if (allocated - length < roomBytes) {
        const room = length + 2 * roomBytes - allocated;
        writeSync(file.fd, Buffer.alloc(room, "\n"), 0, room, allocated);
        allocated += room;
        await sync();
      }
      write(sizes.sent);
    },
    async keepResponse(answer) {
      write(sizes.answered + Buffer.from(answer).toString("base64").length);
      await sync();
    },
    finish() {
      noted += sizes.done;
      if (isNoted) return;
      isNoted = true;
      setImmediate(() => {
        isNoted = false;
        if (noted > 0) write(0);
      });
    },
  };
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
const tokens = Buffer.concat(chunks).toString("utf8").trim().split("\n");
const file = path === undefined ? null : await open(path, "w");
const syncs = file === null ? noSyncs : syncsOn(file, tokens.length);

let next = 0;
async function work(): Promise<void> {
  for (let index = next++; index < tokens.length; index = next++) {
    const token = tokens[index] ?? "";
    await syncs.beforeSending(index);
    const { statusCode, body } = await request(`${base}/applications/c/tokens/${token}`, {
      dispatcher,
      method,
    });
    if (statusCode === 204) await body.dump();
    else {
      const answer = await body.text();
      await syncs.keepResponse(answer);
      JSON.parse(answer);
    }
    process.stdout.write(`done\t${token.slice(-8)}\n`);
    syncs.finish();
  }
}
await Promise.all(Array.from({ length: concurrency }, work));
await dispatcher.destroy();
await file?.close();
