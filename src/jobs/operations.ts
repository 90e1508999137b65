// The operations that have a record, and the traits in which their records differ.

interface OperationTraits {
  /** True if the record keeps the new tokens of responses. */
  readonly keepsValues: boolean;
  /** True if the items are IDs, which the record keeps so that --resume needs no input. Tokens are never kept. */
  readonly keepsIds: boolean;
  readonly isResumable: boolean;
  /** True if the delivery of a value is followed by further steps. */
  readonly hasSteps?: true;
}

const ofTokens = { keepsValues: false, keepsIds: false, isResumable: true };
const ofIds = { ...ofTokens, keepsIds: true };
const ofOne = { keepsValues: true, keepsIds: false, isResumable: false };

const table = {
  create: ofOne,
  "get-or-create": ofOne,
  reset: { ...ofTokens, keepsValues: true },
  revoke: ofTokens,
  "revoke-grant": ofTokens,
  "delete-grant": ofIds,
  "delete-authorization": ofIds,
  rotate: { ...ofIds, keepsValues: true, hasSteps: true },
  run: { ...ofOne, keepsValues: false },
} satisfies Record<string, OperationTraits>;

export type Operation = keyof typeof table;

export const operations = Object.keys(table) as readonly Operation[];

export function traitsOf(operation: Operation): OperationTraits {
  return table[operation];
}
