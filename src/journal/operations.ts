// The operations that have a journal, and the traits in which their journals differ.
import type { Head } from "./entries.ts";

export interface OperationTraits {
  /** The words of the command that resumes the job. */
  readonly command: string;
  /** True if a response holds a new token. */
  readonly makesValues: boolean;
  /** True if the items are IDs, which the journal keeps so that --resume needs no input. Tokens are never kept. */
  readonly keepsIds: boolean;
}

const usual = { makesValues: false, keepsIds: false };

const table = {
  create: { ...usual, command: "authorization create", makesValues: true },
  "get-or-create": { ...usual, command: "authorization get-or-create", makesValues: true },
  reset: { ...usual, command: "token reset", makesValues: true },
  revoke: { ...usual, command: "token revoke" },
  "revoke-grant": { ...usual, command: "token revoke-grant" },
  "delete-grant": { ...usual, command: "grant delete", keepsIds: true },
  "delete-authorization": { ...usual, command: "authorization delete", keepsIds: true },
  rotate: { ...usual, command: "authorization rotate", makesValues: true },
  run: { ...usual, command: "authorization run" },
} satisfies Record<string, OperationTraits>;

export type JournalOperation = keyof typeof table;

export const operations = Object.keys(table) as readonly JournalOperation[];

/** For `unknown`, the operation of a damaged journal, returns traits that assume nothing. */
export function traitsOf(operation: Head["operation"]): OperationTraits {
  return operation === "unknown" ? { ...usual, command: "recover show" } : table[operation];
}

/** The fields of a head that decide whether it is a job or a single request. */
type JobForm = Pick<Head, "total" | "operation">;

/** True if a journal belongs to a job, which --resume continues, and not to a single request for a token. */
export function isJob({ total, operation }: JobForm): boolean {
  if (operation === "unknown" || operation === "run") return false;
  // Even a single rotation is a job: steps remain after the delivery, and --resume completes them.
  return total > 1 || !traitsOf(operation).makesValues || operation === "rotate";
}
