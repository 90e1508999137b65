// Which journals are of jobs, and in what words a job is taken up again.
import type { Head } from "./entries.ts";

/** Whether a journal is of a job, which its input and --resume take up again, and not of a single request. */
export function isJob({ total, shard }: Head): boolean {
  return total > 1 || shard !== undefined;
}

/** What takes a job up again; continues "give it ". */
export function resumption({ shard }: Head, path: string): string {
  return shard === undefined
    ? `the same input and --resume ${path}`
    : `the same input, --shard ${shard} and --resume ${path}`;
}
