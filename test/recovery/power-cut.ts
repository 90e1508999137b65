// What a power cut leaves of the files that a killed program wrote: everything is lost that no completed sync covers. The
// writes and syncs are read from strace's log (with -y, which adds the paths).
import { closeSync, existsSync, openSync, statSync, writeSync } from "node:fs";

interface Range {
  readonly path: string;
  readonly at: number;
  readonly length: number;
}

/** The written ranges that were not synced when the log ended. */
function unsyncedRanges(log: string): readonly Range[] {
  let ranges: Range[] = [];
  /** By thread: what its running sync covers. */
  const running = new Map<string, ReadonlySet<Range>>();
  for (const line of log.split("\n")) {
    const [, thread = "", call = "", rest = ""] = /^(\d+) +(?:<\.\.\. )?(\w+)(.*)$/.exec(line) ?? [];
    const [, path = ""] = /^\(\d+<([^>]+)>/.exec(rest) ?? [];
    if (call === "pwrite64" && path !== "") {
      const [, length = "0", at = "0"] = /, (\d+), (\d+)(?:\)| <unfinished)/.exec(rest) ?? [];
      ranges.push({ path, at: Number(at), length: Number(length) });
    }
    if (call !== "fdatasync" && call !== "fsync") continue;
    if (path !== "") running.set(thread, new Set(ranges.filter((range) => range.path === path)));
    if (!line.endsWith("= 0")) continue;
    const synced = running.get(thread) ?? new Set();
    ranges = ranges.filter((range) => !synced.has(range));
  }
  return ranges;
}

/** Overwrites with zeros what a power cut loses; the sizes of files stay, as on a journalled file system. */
export function loseUnsynced(log: string): void {
  for (const { path, at, length } of unsyncedRanges(log)) {
    // A draft is renamed once it has a value.
    const file = [path, path.replace(/\.[\da-f]{8}(?: \(deleted\))?$/, "")].find((each) => existsSync(each));
    if (file === undefined) continue;
    const lost = Math.min(length, statSync(file).size - at);
    if (lost <= 0) continue;
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Buffer.alloc(lost), 0, lost, at);
    closeSync(descriptor);
  }
}
