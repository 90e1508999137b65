// Which journals are of jobs, and in what words a job is taken up again.
import { makesValues, type Head } from "./entries.ts";

/** Whether a journal is of a job, which its input and --resume take up again, and not of a single request for a value. */
export function isJob({ total, shard, operation }: Head): boolean {
  return total > 1 || shard !== undefined || !makesValues(operation);
}

/** What takes a job up again; continues "give it ". `input` says how its items are given. */
export function resumption({ shard }: Head, path: string, input = "the same input"): string {
  return shard === undefined
    ? `${input} and --resume ${path}`
    : `${input}, --shard ${shard} and --resume ${path}`;
}
